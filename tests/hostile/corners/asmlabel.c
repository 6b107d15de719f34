#include "corner.h"
async int labelled(int x) __asm__("other_name");
async int
labelled(int x)
{
    return await val(x) + 1;
}
typedef async int H(int);
H viatypedef;
async int
viatypedef(int x)
{
    return await labelled(x) * 2;
}
static H st2;
static async int
st2(int x)
{
    return await val(x);
}
static async H *
getter(int i)
{
    SUSPEND();
    return i ? viatypedef : st2;
}
async int
main(void)
{
    H *h = await getter(1);
    printf("%d %d %d\n", await h(3), await(await getter(0))(4),
           await labelled(5));
    return 0;
}

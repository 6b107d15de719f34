#include "corner.h"
static inline async int
counter(void)
{
    static int n;
    return n += await val(1);
}
extern inline async int
ei(int x)
{
    return await val(x) + 1;
}
inline async int plain_inline(int x);
inline async int
plain_inline(int x)
{
    return x + await val(2);
}
extern async int plain_inline(int x);
__attribute__((always_inline)) static inline async int
ai(int x)
{
    int a[3] = {x, await val(x), 2};
    return a[0] + a[1] + a[2];
}
__attribute__((gnu_inline, always_inline)) extern inline async int
gi(int x)
{
    return await val(x);
}
async int
main(void)
{
    int s = 0;
    for (int i = 0; i < 4; i++)
        s += await counter() + await ei(i) + await plain_inline(i) +
             await ai(i) + await gi(1);
    printf("%d\n", s);
    return 0;
}

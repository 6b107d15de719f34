#include "corner.h"
static int calls;
static async int
t(int v)
{
    calls++;
    SUSPEND();
    return v;
}
async int
main(void)
{
    int r = 0;
    r = r * 2 + (await t(0) && await t(1));
    r = r * 2 + (await t(1) || await t(1));
    r = r * 2 + (await t(0) || (await t(1) && !await t(0)));
    r = r * 10 + (await t(0)   ? await t(1)
                  : await t(0) ? await t(2)
                               : await t(3));
    r = r * 10 + (await t(4) ?: await t(5)) + (await t(0) ?: await t(6));
    if (await t(1) && await t(0))
        r = -1;
    else if (!(await t(0) || !await t(1)))
        r += 1000;
    printf("%d %d\n", r, calls);
    return 0;
}

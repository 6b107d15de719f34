#include "corner.h"
static int idx;
static async int
next(void)
{
    SUSPEND();
    return idx++;
}
async int
main(void)
{
    int a[8] = {0};
    int *p = a;
    *p++ = await next();
    *p++ += await val(5);
    p[await val(1)] = await val(7);
    *(p + await val(2)) |= await next() | 8;
    int i = 0;
    a[i++ + 5] = i, await val(2);
    (await val(1) ? a : p)[7] = await next();
    int x = await val(1), *q = &x;
    *q = *q + await val(*q) + *q;
    x ^= await val(x) ^ (x = 3, 1);
    for (int k = 0; k < 8; k++)
        printf("%d ", a[k]);
    printf("%d %d\n", x, (int)(p - a));
    return 0;
}

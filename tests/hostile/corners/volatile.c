#include "corner.h"
async int
main(void)
{
    volatile int v = 1;
    volatile struct {
        int a;
        char b[3];
    } s = {1, {2, 3, 4}};
    const volatile int *p = &v;
    int volatile *volatile pp = &v;
    v += await val(2);
    s.b[await val(1)] = (char)await val(9);
    *pp = *p + await val(*p);
    v;
    (void)v;
    int r = 0;
    for (volatile int i = 0; i < 5; i = i + 1)
        r += await val(i) * v;
    register int reg = await val(4);
    printf("%d %d %d %d %d\n", v, s.a, s.b[1], r, reg);
    return 0;
}

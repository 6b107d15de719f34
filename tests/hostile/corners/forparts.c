#include "corner.h"
async int
main(void)
{
    for (int i = await val(0), n = await val(4); await val(i < n);
         i += await val(1), printf("|%d", await val(i))) {
        if (i == 2)
            continue;
        printf(" %d", i);
    }
    for (struct { int a, b; } s = {await val(1), 2}; s.a < await val(20);
         s.a *= 1 + await val(s.b))
        printf(" s%d", s.a);
    int k = 3;
    while (k-- && await val(k)) {
        int v[2] = {k, await val(k)};
        printf(" %d", v[0] + v[1]);
    }
    do {
        static int z;
        z += await val(2);
        if (z > 5)
            break;
    } while (await val(1));
    for (;;) {
        if (await val(++k) > 3) {
            printf(" k%d\n", k);
            break;
        }
    }
    return 0;
}

#include "corner.h"
static void
pc(int *p)
{
    printf("c%d ", *p);
}
static async int
go(int k)
{
    int r = 0;
    switch (await val(k)) {
    case 0:
        r++;
        {
            __attribute__((cleanup(pc))) int x = 10 + k;
            r += await val(x);
            if (k == 0)
                break;
            r += 1000;
        }
    case 1: {
        __attribute__((cleanup(pc))) int y = await val(20 + k);
        for (;;) {
            __attribute__((cleanup(pc))) int z = await val(30);
            if (await val(k))
                break;
            r += z;
            return r;
        }
        r += y;
    }
    default:
        r += await val(3);
    }
    return r;
}
async int
main(void)
{
    for (int i = 0; i < 4; i++)
        printf("=%d\n", await go(i));
    return 0;
}

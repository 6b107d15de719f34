#include "corner.h"
static unsigned order;
static void
pc(int *p)
{
    order = order * 7 + (unsigned)*p;
}
static async int
f(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        __attribute__((cleanup(pc))) int a = i;
        if (i == 1)
            continue;
        for (int j = 0;; j++) {
            __attribute__((cleanup(pc))) int b = await val(j);
            if (b == 2)
                break;
            {
                __attribute__((cleanup(pc))) int c = 5;
                if (await val(i == 3 && j == 1))
                    goto out;
                s += c;
            }
            if (await val(i == 2))
                goto next;
            while (1) {
                __attribute__((cleanup(pc))) int d = await val(1);
                if (d)
                    break;
            }
        }
    next:;
        a = await val(a + 1);
    }
out:
    return s;
}
async int
main(void)
{
    int r = await f(6);
    printf("%d %d\n", r, order);
    return 0;
}

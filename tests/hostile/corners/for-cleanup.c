#include "corner.h"
static int lg;
static void
c(int *p)
{
    lg = lg * 5 + *p;
}
async int
main(void)
{
    for (__attribute__((cleanup(c))) int i = await val(1); i < await val(4);
         i++) {
        if (i == 2)
            continue;
        lg += await val(i);
    }
    int n = 0;
again: {
    __attribute__((cleanup(c))) int k = await val(n);
    if (n++ < 3)
        goto again;
    lg += k;
}
    if (({
            __attribute__((cleanup(c))) int q = await val(2);
            q;
        }) > 1) {
        __attribute__((cleanup(c))) int a = 1, b __attribute__((cleanup(c))) =
                                                   await val(3);
        lg += a + b;
    }
    printf("%d\n", lg);
    return 0;
}

/* See corner.h. */
#include "corner.h"
static int log_[64], nl;
static async int deep(int n);
static async void
ac(int *p)
{
    log_[nl++ & 63] = *p;
    if (*p > 1) {
        __attribute__((cleanup(ac))) int q = *p - 1;
        log_[nl++ & 63] = await val(q + 100);
    }
    await val(1);
}
static async int
deep(int n)
{
    __attribute__((cleanup(ac))) int me = n;
    if (n == 0)
        fm_throw(5, "bottom");
    int r = await deep(n - 1);
    return r;
}
async int
main(void)
{
    int out = 0;
    fm_fault *f = await fm_attempt(&out, deep(3));
    printf("%d:", fm_fault_code(f));
    for (int i = 0; i < nl; i++)
        printf(" %d", log_[i]);
    puts("");
    return 0;
}

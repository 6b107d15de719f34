// A loop that faults and succeeds in turn keeps its state and leaks nothing.
// smoke
#include <fermata.h>
#include <stdio.h>

static async long step(long v, int wait)
{
    if (wait) await fm_yield();
    if (v % 2) fm_throw((int)(v % 100), "odd %ld", v);
    return v;
}
static async long work(long n, int wait)
{
    fm_fault *f = NULL;
    long sum = 0, x = 0, codes = 0;
    for (long i = 0; i < n; i++) {
        fm_try {
            FM_DEFER sum += 1000;
            x = await step(i, wait);
            sum += x;
        } fm_catch (f) {
            codes += fm_fault_code(f);
            if (x != i - 1) printf("destination changed: %ld\n", x);
        }
    }
    printf("%s\n", fm_fault_message(f));
    return sum + codes;
}
async int main(void)
{
    printf("%ld\n", await work(10000, 0));
    printf("%ld\n", await work(10000, 1));
    return 0;
}

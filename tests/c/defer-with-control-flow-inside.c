// Deferred code may loop, branch, try, defer and await, on every way out.
#include <fermata.h>
#include <stdio.h>

static async int step(int v, int wait)
{
    if (wait) await fm_yield();
    if (v < 0) fm_throw(-v, "step");
    return v;
}
static async int work(int n, int wait)
{
    fm_fault *f;
    FM_DEFER {
        FM_DEFER printf(" last");
        for (int k = 0; k < 4; k++) {
            FM_DEFER printf(" k%d", k);
            if (k == 1) continue;
            if (await step(k, wait) == 2) break;
        }
        fm_try {
            FM_DEFER printf(" in");
            await step(-9, wait);
        } fm_catch (f) {
            printf(" caught%d", fm_fault_code(f));
        }
        switch (n) {
        case 1: printf(" one"); break;
        default: printf(" other");
        }
    }
    if (n == 1) return await step(4, wait);
    if (n == 2) await step(-6, wait);
    return 5;
}
async int main(void)
{
    fm_fault *f;
    for (int k = 0; k < 6; k++) {
        fm_try {
            int r = await work(k / 2, k % 2);
            printf(" = %d\n", r);
        } fm_catch (f) {
            printf(" fault %d, cause %d\n", fm_fault_code(f),
                   fm_fault_cause(f) != NULL);
        }
    }
    return 0;
}

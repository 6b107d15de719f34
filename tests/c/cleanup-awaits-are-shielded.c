// Cleanups of a cancelled or timed out function await to their own end.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>

static async void slow(const int *v)
{
    await fm_sleep(FM_MS(2));
    printf(" cleaned%d", *v);
}
static async int work(int64_t ns)
{
    __attribute__((cleanup(slow))) int a = 1;
    FM_DEFER {
        await fm_sleep(FM_MS(1));
        printf(" deferred");
    }
    __attribute__((cleanup(slow))) int b = 2;
    await fm_sleep(ns);
    return 5;
}
async int main(void)
{
    fm_fault *f;
    FM_TASK(int) t = fm_start(work(FM_FOREVER));
    await fm_yield();
    fm_cancel(t);
    fm_try { await fm_join(t); } fm_catch (f) {
        printf(" %d\n", fm_fault_code(f) == ECANCELED);
    }
    fm_try {
        fm_with_timeout(FM_MS(3));
        await work(FM_FOREVER);
    } fm_catch (f) {
        printf(" %d\n", fm_fault_code(f) == ETIMEDOUT);
    }
    fm_try {
        int r;
        fm_with_timeout(FM_MS(2));
        r = await work(FM_MS(1));
        printf(" %d\n", r);
        await fm_sleep(FM_S(5));
    } fm_catch (f) {
        printf(" %d\n", fm_fault_code(f) == ETIMEDOUT);
    }
    return 0;
}

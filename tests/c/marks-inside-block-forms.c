// Marked calls stand in try bodies, handlers, deferred code and cleanups.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>

static async int step(int v, int wait)
{
    if (wait) await fm_yield();
    if (v < 0) fm_throw(-v, "step %d", -v);
    return v;
}
static async void join_it(FM_TASK(int) *t)
{
    fm_fault *f;
    fm_try { printf(" joined%d", await fm_join(*t)); } fm_catch (f) {
        printf(" joinfault%d", fm_fault_code(f));
    }
}
static async int work(int v, int wait)
{
    fm_fault *f;
    int n = 0;
    __attribute__((cleanup(join_it))) FM_TASK(int) t =
        fm_start(step(v, wait));
    FM_AUTO FM_TASK(int) none = NULL;
    FM_DEFER {
        fm_fault *g = await fm_attempt(&n, step(-v, wait));
        printf(" attempt%d", g ? fm_fault_code(g) : n);
        FM_AUTO FM_TASK(int) s = fm_start(step(9, wait));
        printf(" got%d", await fm_get(s));
    }
    fm_try {
        FM_AUTO FM_TASK(int) u = fm_start(step(v, wait));
        n = await fm_within(FM_S(9), fm_get(u));
        printf(" within%d", n);
        await fm_within(FM_MS(1), fm_sleep(FM_FOREVER));
    } fm_catch (f) {
        printf(" caught%d", fm_fault_code(f) == ETIMEDOUT ? 0
                                                          : fm_fault_code(f));
        n = await fm_within(FM_S(9), step(5, wait));
    }
    return n + await step(v < -2 ? v : 0, wait);
}
async int main(void)
{
    static const int values[] = {1, -2, -3};
    for (int k = 0; k < 6; k++) {
        int r = 0;
        fm_fault *f = await fm_attempt(&r, work(values[k / 2], k % 2));
        printf(" = %d, %d\n", r, f ? fm_fault_code(f) : 0);
    }
    return 0;
}

// Each awaiter of a faulted task gets the fault with a trace of its own.
#include "ok.h"
#include <fermata.h>

static async int
fails(void)
{
    await fm_yield();
    fm_throw(FM_CODE_USER + 3, "broken: %d", 17);
}
__attribute__((noinline)) static async int
first(FM_TASK(int) t)
{
    return await fm_get(t);
}
__attribute__((noinline)) static async int
second(FM_TASK(int) t)
{
    return await first(t) + 1;
}
async int
main(void)
{
    FM_TASK(int) t = fm_start(fails());
    FM_TASK(int) a = fm_start(first(t)), b = fm_start(second(t));
    int n = 0;
    fm_fault *fa = await fm_attempt(&n, fm_join(a));
    fa = fm_fault_retain(fa);
    fm_fault *fb = await fm_attempt(&n, fm_join(b));
    fm_fault *ft = await fm_attempt(&n, fm_get(t));
    OK(fm_status(t) == FM_FAULTED);
    fm_release(t);
    OK(fa != fb && fb != ft);
    OK(fm_fault_code(fa) == FM_CODE_USER + 3 &&
       fm_fault_code(fb) == FM_CODE_USER + 3);
    OK(!strcmp(fm_fault_message(fb), "broken: 17"));
    OK(fm_fault_place(fa).line == fm_fault_place(fb).line);
    OK(fm_fault_trace(fb, NULL, 0) >= fm_fault_trace(fa, NULL, 0));
    OK(fm_fault_trace(fa, NULL, 0) >= fm_fault_trace(ft, NULL, 0));
    fm_fault_release(fa);
    return 0;
}

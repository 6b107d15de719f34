// A fault that nobody got is told to the hook when the last handle goes.
#include "ok.h"
#include <fermata.h>

static int told;
static void
hook(fm_task *t, fm_fault *f)
{
    OK(fm_abi_status(t) == FM_FAULTED);
    told += fm_fault_code(f);
}
static async int
fails(bool later)
{
    if (later)
        await fm_yield();
    fm_throw(5, "unseen");
}
static async void
waits(void)
{
    while (true)
        await fm_yield();
}
async int
main(void)
{
    int n = 0;
    fm_on_unobserved(hook);
    fm_detach(fails(false));
    OK(told == 5);
    fm_detach(fails(true));
    OK(told == 5);
    await fm_yield();
    OK(told == 10);
    FM_TASK(int) t = fm_start(fails(true));
    fm_task_name(t, "seen");
    OK(await fm_attempt(&n, fm_join(t)));
    OK(told == 10);
    FM_TASK(void) w = fm_start(waits());
    fm_cancel(w);
    await fm_attempt(NULL, fm_get(w));
    fm_release(w);
    w = fm_start(waits()); /* a cancelled task is nobody's trouble */
    fm_cancel(w);
    fm_release(w);
    await fm_yield();
    await fm_yield();
    OK(told == 10);
    return 0;
}

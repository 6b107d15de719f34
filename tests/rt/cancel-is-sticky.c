// A cancelled task ends at its next wait, whatever it waits for, and stays so.
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>

static int cleaned;
static void
clean(int *p)
{
    cleaned += *p;
}
static async int
sleeps(void)
{
    __attribute__((cleanup(clean))) int one = 1;
    await fm_sleep(FM_S(100));
    return 1;
}
static async int
gets(FM_TASK(int) t)
{
    return await fm_get(t);
}
static async int
runs(bool *caught)
{
    fm_fault *f;
    while (!fm_cancel_pending())
        await fm_yield();
    for (int i = 0; i < 3; i++) {
        fm_try {
            await fm_yield();
            *caught = false;
        } fm_catch (f) {
            *caught = fm_fault_code(f) == ECANCELED;
        }
    }
    return 7; /* a result wins over a cancellation that was caught */
}
async int
main(void)
{
    bool caught = false;
    FM_TASK(int) a = fm_start(sleeps());
    FM_TASK(int) b = fm_start(gets(a));
    FM_TASK(int) c = fm_start(runs(&caught));
    int n = 0;
    fm_cancel(b);
    fm_fault *f = await fm_attempt(&n, fm_join(b));
    OK(f && fm_fault_code(f) == ECANCELED && !fm_fault_token(f));
    OK(fm_status(a) == FM_RUNNING);
    fm_cancel(a);
    fm_cancel(a);
    OK(fm_status(a) == FM_RUNNING); /* never inside the canceller */
    f = await fm_attempt(&n, fm_get(a));
    OK(f && fm_fault_code(f) == ECANCELED && cleaned == 1);
    OK(fm_status(a) == FM_CANCELLED);
    fm_release(a);
    fm_cancel(c);
    OK(await fm_join(c) == 7 && caught);
    return 0;
}

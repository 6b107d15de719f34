/* A wait after a bare fm_suspend can be cancelled, however that one was ended,
 * under an ambient list or none, with one thread and with several. */
// threads
// not: alloc
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>
#include <stdatomic.h>

static fm_local key;
static _Atomic(fm_waiter *) kept;

static void
arm_now(fm_waiter *w, void *arg)
{
    (void)arg;
    fm_resume(w);
}

static void
arm_later(fm_waiter *w, void *arg)
{
    (void)arg;
    fm_resume_later(w);
}

static void
arm_kept(fm_waiter *w, void *arg)
{
    (void)arg;
    atomic_store(&kept, w);
}

async void
suspends(int how)
{
    if (how == 0)
        await fm_suspend(arm_now, NULL);
    else if (how == 1)
        await fm_suspend(arm_later, NULL);
    else
        await fm_suspend(arm_kept, NULL);
}

async void
waits(int how, bool local)
{
    int value = how;

    if (local) {
        fm_with_local(&key, &value);
        await suspends(how);
        await fm_sleep(FM_S(1000));
    } else {
        await suspends(how);
        await fm_sleep(FM_S(1000));
    }
}

async void
is_cancelled(fm_executor *ex, int how, bool local)
{
    FM_TASK(void) t = fm_start_on(ex, waits(how, local));

    if (how == 2) {
        fm_waiter *w;
        while (!(w = atomic_exchange(&kept, NULL)))
            await fm_sleep(FM_US(100));
        fm_resume(w);
    }
    await fm_sleep(FM_MS(2));
    fm_cancel(t);
    fm_fault *f = await fm_attempt(NULL, fm_join(t));
    OK(f && fm_fault_code(f) == ECANCELED);
}

async void
on(fm_executor *ex)
{
    for (int how = 0; how < 3; how++) {
        await is_cancelled(ex, how, false);
        await is_cancelled(ex, how, true);
    }
}

async int
main(void)
{
    await on(fm_loop());
    fm_executor *loop = fm_loop_new();
    await on(fm_loop());
    await on(loop);
    await on(fm_pool());
    fm_executor_free(loop);
    return 0;
}

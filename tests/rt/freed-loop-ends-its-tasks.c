// A loop that is freed cancels its tasks and waits for them; their cleanups
// have run.
// threads
// not: alloc
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>
#include <stdatomic.h>

static atomic_int opened, closed;
static void
leave(int *p)
{
    (void)p;
    closed++;
}
static async void
leave_slowly(int *p)
{
    await fm_sleep(FM_MS(1)); /* not interrupted: it is a cleanup */
    leave(p);
}
static async long
waits(long n)
{
    __attribute__((cleanup(leave_slowly))) int scope = ++opened;
    (void)scope;
    if (n)
        return await waits(n - 1);
    await fm_sleep(FM_FOREVER);
    return 0;
}
static async long
starts(long n)
{
    __attribute__((cleanup(leave))) int scope = ++opened;
    (void)scope;
    FM_TASK(long) t = fm_start(waits(n));
    fm_detach(waits(1));
    await fm_sleep(FM_MS(1));
    return await fm_join(t);
}
async int
main(void)
{
    for (int i = 0; i < 20; i++) {
        fm_executor *loop = fm_loop_new();
        fm_fault *f;
        long n;
        OK(loop);
        FM_TASK(long) a = fm_start_on(loop, waits(3));
        FM_TASK(long) b = fm_start_on(loop, starts(2));
        if (i % 2)
            await fm_sleep(FM_MS(i % 3));
        fm_executor_free(loop);
        f = await fm_attempt(&n, fm_join(a));
        OK(f && fm_fault_code(f) == ECANCELED);
        f = await fm_attempt(&n, fm_join(b));
        OK(f && fm_fault_code(f) == ECANCELED);
        OK(opened == closed);
    }
    return 0;
}

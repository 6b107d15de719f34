/* An ordinary main waits for tasks of the pool, for calls on blocking threads
 * and, with fm_run_until_idle, for what its own loop still has to wait for. */
// threads
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int over;

static int
slow(int n)
{
    usleep(20000);
    return n + 1;
}

async int
work(int n)
{
    int got = await fm_blocking(slow(n));
    await fm_switch(fm_pool());
    await fm_sleep(FM_MS(1));
    atomic_fetch_add(&over, 1);
    return got;
}

async void
at_home(int n)
{
    await fm_blocking(slow(n));
    atomic_fetch_add(&over, 1);
}

async void
stays(void)
{
    await fm_sleep(FM_FOREVER);
}

int
main(void)
{
    int out = 0;
    FM_TASK(int) t = fm_start_on(fm_pool(), work(3));
    FM_TASK(void) s = fm_start_on(fm_pool(), stays());

    printf("%d\n", fm_wait_task(t));
    fm_release(t);
    printf("%d\n", fm_wait(work(5)));
    for (int i = 0; i < 5; i++)
        fm_detach(at_home(i));
    fm_run_until_idle();
    printf("%d over\n", over);
    fm_cancel(s);
    fm_fault *f = fm_attempt_wait(NULL, fm_get(s));
    printf("%d %d\n", f && fm_fault_code(f) == ECANCELED, out);
    fm_release(s);
    return 0;
}

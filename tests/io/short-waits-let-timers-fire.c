// Timers and other threads are served though a program only waits shortly.
// threads
#include <assert.h>
#include <fermata.h>
#include <fermata/io.h>

static bool slept, set;

static async void
sleeper(void)
{
    await fm_sleep(FM_US(10));
    slept = true;
}
static async void
afar(FM_SOURCE(int) s)
{
    await fm_yield();
    fm_source_set(s, 1);
    fm_source_release(s);
}
static async void
near(FM_TASK(int) t)
{
    set = await fm_join(t);
}
static async void
turn(void)
{
    await fm_yield();
}

int
main(void)
{
    fm_executor *other = fm_loop_new();
    FM_SOURCE(int) s = fm_source_new(int);
    FM_TASK(int) t = fm_source_task(s);

    assert(other);
    fm_detach(sleeper());
    fm_detach(near(t));
    fm_release(fm_start_on(other, afar(s)));
    while (!slept || !set)
        fm_wait(turn());
    fm_executor_free(other);
    return 0;
}

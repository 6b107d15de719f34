/* main's end cancels and waits for what still runs on the pool, on loops of
 * their own and on blocking threads: cleanups run, queued calls never do. */
// threads
#include <fermata.h>
#include <fermata/io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int begun, cleaned, calls, ending;

static void
report(void)
{
    printf("%d begun, %d cleaned up, %d calls\n", begun, cleaned, calls);
}

static void
cleaned_up(void)
{
    atomic_fetch_add(&cleaned, 1);
}

async void
sleeper(void)
{
    FM_DEFER cleaned_up();
    atomic_fetch_add(&begun, 1);
    await fm_sleep(FM_S(1000));
}

static void
call(void)
{
    atomic_fetch_add(&calls, 1);
    while (!atomic_load(&ending))
        usleep(1000);
    usleep(100000);
}

async void
caller(void)
{
    FM_DEFER cleaned_up();
    atomic_fetch_add(&begun, 1);
    await fm_blocking(call());
}

async void
spinner(void)
{
    FM_DEFER cleaned_up();
    atomic_fetch_add(&begun, 1);
    for (;;)
        await fm_yield();
}

__attribute__((constructor)) static void
set_up(void)
{
    setenv("FERMATA_POOL", "3", 0);
    setenv("FERMATA_BLOCKING", "1", 1);
    atexit(report);
}

async int
main(void)
{
    fm_executor *loop = fm_loop_new();
    for (int i = 0; i < 10; i++) {
        fm_release(fm_start_on(fm_pool(), sleeper()));
        fm_release(fm_start_on(fm_pool(), spinner()));
        fm_release(fm_start_on(loop, sleeper()));
        fm_detach(caller());
    }
    while (atomic_load(&begun) < 40 || !atomic_load(&calls))
        await fm_sleep(FM_MS(1));
    atomic_store(&ending, 1);
    return 0;
}

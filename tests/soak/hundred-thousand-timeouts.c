// A hundred thousand waits under timeouts at once, some of which end in time:
// each ends as it should, none early, and the memory is used again.
// time: 60
// only: O2 asan
#include "soak.h"
#include <fermata/io.h>
#include <fermata/sync.h>

enum { TASKS = 100000 };
static fm_event event;
static long timed_out, woken;

async void waits(int i)
{
    int64_t ns = i % 4 ? FM_MS(20) + FM_US(i % 1000) : FM_S(1000);
    int64_t since = fm_now();
    fm_with_timeout(ns);
    fm_fault *f = await fm_attempt(NULL, fm_event_wait(&event));
    if (f) {
        OK(fm_fault_code(f) == ETIMEDOUT && fm_now() - since >= ns);
        timed_out++;
    } else {
        woken++;
    }
}

async void all(void)
{
    timed_out = woken = 0;
    FM_GROUP(g);
    for (int i = 0; i < TASKS; i++)
        fm_group_start(&g, waits(i));
    while (timed_out < TASKS / 4 * 3)
        await fm_sleep(FM_MS(1));
    OK(woken == 0);
    fm_event_set(&event);
    await fm_group_close(&g);
    OK(timed_out == TASKS / 4 * 3 && woken == TASKS / 4);
    fm_event_reset(&event);
}

async int main(void)
{
    await all();
    await all();
    long before = resident_kib();
    await all();
    long after = resident_kib();
    printf("%ld timed out of %d, %ld KiB, then %ld KiB\n", timed_out, TASKS,
           before, after);
    flat(before, after);
    return 0;
}

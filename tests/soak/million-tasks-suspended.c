// A million tasks wait at once, are woken in order, and give their memory
// back.
// time: 60
// only: O2
#include "soak.h"
#include <fermata/io.h>
#include <fermata/sync.h>

enum { TASKS = 1000000 };
static fm_event event;
static long ended;

async void waits(long i)
{
    await fm_event_wait(&event);
    OK(ended == i);
    ended++;
}

async void all(void)
{
    ended = 0;
    FM_GROUP(g);
    for (long i = 0; i < TASKS; i++)
        fm_group_start(&g, waits(i));
    OK(ended == 0);
    printf("%d tasks wait, %ld KiB\n", TASKS, resident_kib());
    fm_event_set(&event);
    await fm_group_close(&g);
    OK(ended == TASKS);
    fm_event_reset(&event);
}

async int main(void)
{
    long first = resident_kib();
    await all();
    long once = resident_kib();
    await all();
    long twice = resident_kib();
    printf("%ld, %ld, %ld KiB\n", first, once, twice);
    flat(once, twice);
    OK(twice - first < 20000);
    return 0;
}

// No sleep ends early, not of ns nor of ms, and all end in the order of their
// deadlines when these are a millisecond apart.
// smoke
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>

enum { TASKS = 2000 };
static int early, ended, swapped;
static int64_t last;

async void nap(int64_t ns)
{
    int64_t until = fm_now() + ns;
    await fm_sleep(ns);
    int64_t now = fm_now();
    early += now < until;
    swapped += until + FM_MS(1) < last;
    last = until;
    ended++;
}

async int main(void)
{
    FM_TASK(void) tasks[TASKS];
    unsigned seed = 1;
    for (int i = 0; i < TASKS; i++) {
        seed = seed * 1103515245 + 12345;
        int64_t ns = (int64_t)(seed >> 8) % (i % 2 ? FM_MS(300) : FM_MS(3));
        tasks[i] = fm_start(nap(ns));
    }
    for (int i = 0; i < TASKS; i++)
        await fm_join(tasks[i]);
    for (int64_t ns = 1; ns < FM_MS(20); ns = ns * 3)
        await nap(ns);
    await nap(0);
    await nap(-5);
    printf("%d early, %d ended\n", early, ended);
    printf("%s\n", swapped > TASKS / 100 ? "out of order" : "in order");
    return 0;
}

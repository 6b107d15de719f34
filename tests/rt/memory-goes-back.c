// A spike of tasks leaves no memory behind, whatever thread frees them.
// threads
// not: asan tsan check msan
#include "ok.h"
#include <fermata.h>
#include <pthread.h>

enum { TASKS = 100000 };
static fm_waiter *waiters[TASKS];
static FM_TASK(long) tasks[TASKS];

static void
arm(fm_waiter *w, void *arg)
{
    waiters[(long)arg] = w;
}
static async long
middle(long i)
{
    await fm_suspend(arm, (void *)i);
    return i;
}
static async long
outer(long i)
{
    return await middle(i) + 1;
}
static long
resident(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    OK(f && fscanf(f, "%*d %ld", &pages) == 1);
    fclose(f);
    return pages * 4096;
}
static void *
frees(void *arg)
{
    for (long i = 0; i < TASKS; i++)
        fm_release(tasks[i]);
    return arg;
}
int
main(void)
{
    memset(waiters, 1, sizeof waiters); /* so that only tasks are counted */
    memset(tasks, 1, sizeof tasks);
    long before = resident(), full = 0;
    for (int round = 0; round < 3; round++) {
        pthread_t thread;
        for (long i = 0; i < TASKS; i++)
            tasks[i] = fm_start(outer(i));
        full = resident() - before;
        for (long i = 0; i < TASKS; i++)
            fm_resume(waiters[i]);
        for (long i = 0; i < TASKS; i++)
            OK(fm_status(tasks[i]) == FM_DONE);
        OK(fm_wait_task(tasks[5]) == 6);
        pthread_create(&thread, NULL, frees, NULL);
        pthread_join(thread, NULL);
    }
    OK(resident() - before < full / 4);
}

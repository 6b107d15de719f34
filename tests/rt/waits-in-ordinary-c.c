// Ordinary C waits for a task, on any thread, driving that thread's loop.
// threads
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>

static async int
after(int64_t ns, int n)
{
    await fm_sleep(ns);
    if (n < 0)
        fm_throw(-n, "no");
    return n;
}
static async int
gets(FM_TASK(int) t)
{
    return await fm_get(t) + 1;
}
static void *
thread_waits(void *arg)
{
    FM_TASK(int) t = arg;
    OK(fm_wait(after(FM_MS(1), 5)) == 5);
    OK(fm_wait_task(t) == 7); /* runs on the other thread's loop */
    OK(fm_wait(gets(t)) == 8);
    fm_release(t);
    return NULL;
}
int
main(void)
{
    pthread_t thread[3];
    int n = 1;
    FM_TASK(int) t = fm_start(after(FM_MS(20), 7));
    for (int i = 0; i < 3; i++)
        OK(!pthread_create(&thread[i], NULL, thread_waits,
                           fm_retain(t)));
    OK(fm_status(t) == FM_RUNNING);
    OK(fm_wait(gets(t)) == 8);
    fm_run_until_idle();
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    OK(fm_wait_task_for(t, 0) == 7);
    fm_release(t);

    fm_fault *f = fm_attempt_wait(&n, after(10, -3));
    OK(f && fm_fault_code(f) == 3 && n == 1);
    OK(!fm_attempt_wait(&n, after(10, 3)) && n == 3);
    {
        fm_with_timeout(FM_MS(2));
        f = fm_attempt_wait(&n, after(FM_S(9), 1));
        OK(f && fm_fault_code(f) == ETIMEDOUT && n == 3);
    }
    OK(fm_wait(after(10, 4)) == 4);
    t = fm_start(after(FM_MS(5), 9));
    OK(fm_wait_task_for(t, FM_S(5)) == 9);
    fm_release(t);
    return 0;
}

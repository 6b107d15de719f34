/* deadlock.c: a main task that nothing can wake.
 *
 * The loop asks here when it is about to sleep with nothing to wait for. If
 * that still holds 100 ms later and the process has no thread but ours, main
 * is reported with its async stack and the program ends with 70. With other
 * threads alive it waits on and says so once, after 10 s.
 * FERMATA_DEADLOCK=warn reports and waits on, =off does nothing. */
#include <string.h>

#include "runtime/entry.h"

enum { EXIT_DEADLOCK = 70 };

static int64_t idle_since;  /* 0 = not idle; of main's thread alone */
static uint64_t idle_jobs;  /* the count of jobs when idleness began */
static bool said;

static void
report(const char *what)
{
    fm__sys_say("fermata: %s", what);
    if (fm__main_task && task_state(fm__main_task) == FM_RUNNING)
        fm__task_stack(fm__main_task);
}

static int64_t
with_foreign_threads(int64_t idle)
{
    if (idle < FM_S(10))
        return FM_S(10) - idle;
    if (!said)
        report("nothing has happened for 10 s, and only a foreign thread "
               "could wake main, which waits here:");
    said = true;
    return FM_FOREVER;
}

int64_t
fm_executor_idle(fm_executor *ex)
{
    const char *mode = fm__sys_env("FERMATA_DEADLOCK");
    int64_t now, idle;

    if (!fm__main_task || ex != fm__thread.executor ||
        (mode && !strcmp(mode, "off")))
        return FM_FOREVER;
    now = fm_now();
    if (!idle_since || idle_jobs != fm__thread.jobs) {
        idle_since = now;
        idle_jobs = fm__thread.jobs;
        return FM_MS(100);
    }
    idle = now - idle_since;
    if (idle < FM_MS(100))
        return FM_MS(100) - idle;
    if (fm__sys_thread_count() != 1)
        return with_foreign_threads(idle);
    if (said)
        return FM_FOREVER;
    said = true;
    report("deadlock: nothing can wake main, which waits here:");
    if (mode && !strcmp(mode, "warn"))
        return FM_FOREVER;
    fm__sys_exit_now(EXIT_DEADLOCK);
}

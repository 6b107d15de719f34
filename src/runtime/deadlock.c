/* deadlock.c: a main task that nothing can wake.
 *
 * Who waits for main asks here whenever it looks around. When its loop and
 * all others have nothing to wait for, this still holds 100 ms later, no job
 * was run in between, and the process has no thread but this and the
 * library's own, main is reported with
 * its async stack and the program ends with 70. With other threads alive it
 * waits on, and says so once, after 10 s. FERMATA_DEADLOCK=warn reports and
 * waits on, =off does nothing. */
#include <string.h>

#include "runtime/entry.h"
#include "runtime/pool.h"

enum { EXIT_DEADLOCK = 70 };

/* Of main's thread alone. */
static int64_t idle_since; /* 0 = something was under way */
static uint32_t epoch;     /* of the pool, at the last look */
static bool said;

static void
report(const char *what)
{
    fm__sys_say("fermata: %s", what);
    if (fm__main_task && task_state(fm__main_task) == FM_RUNNING)
        fm__say_tasks(fm__main_task);
}

static void
look_idle(const char *mode, int64_t idle)
{
    if (fm__sys_foreign_threads()) {
        if (idle < FM_S(10))
            return;
        said = true;
        report("nothing has happened for 10 s, and only a foreign thread "
               "can wake main, which waits here:");
        return;
    }
    said = true;
    report("deadlock: nothing can wake main, which waits here:");
    if (!mode || strcmp(mode, "warn"))
        fm__sys_exit_now(EXIT_DEADLOCK);
}

void
fm__deadlock_look(fm_executor *ex)
{
    const char *mode;
    int64_t now;

    if (!ex->vtable->pending || fm__executors_busy() || fm__thread.worked ||
        fm__pool_epoch() != epoch) {
        fm__thread.worked = false;
        epoch = fm__pool_epoch();
        idle_since = 0;
        return;
    }
    if (said)
        return;
    mode = fm__sys_env("FERMATA_DEADLOCK");
    if (mode && !strcmp(mode, "off"))
        return;
    now = fm_now();
    if (!idle_since)
        idle_since = now;
    else if (now - idle_since >= FM_MS(100))
        look_idle(mode, now - idle_since);
}

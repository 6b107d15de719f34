// A wait is ended once: by fm_resume, or by a disarm that says so.
// not: alloc
// threads
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>

enum how { GIVES_UP, TOO_LATE, RESUMES_ITSELF };
struct op {
    fm_waiter *waiter;
    enum how how;
    bool at_once;
    int armed, disarmed;
};

static void
arm(fm_waiter *w, void *arg)
{
    struct op *op = arg;
    op->waiter = w;
    op->armed++;
    if (op->at_once)
        fm_resume(w);
}
static bool
disarm(fm_waiter *w, void *arg)
{
    struct op *op = arg;
    op->disarmed++;
    if (op->how == RESUMES_ITSELF)
        fm_resume(w);
    return op->how == GIVES_UP;
}
static async bool
waits(struct op *op)
{
    return await fm_suspend_until(arm, disarm, op);
}
static async int
waits_twice(struct op *op)
{
    int n = await waits(op);
    return n * 10 + await waits(op); /* cancelled: not armed again */
}
static void *
completes(void *arg)
{
    fm_resume(((struct op *)arg)->waiter);
    return NULL;
}
async int
main(void)
{
    for (int how = GIVES_UP; how <= RESUMES_ITSELF; how++) {
        struct op op = {.how = how};
        FM_TASK(int) t = fm_start(waits_twice(&op));
        OK(op.armed == 1);
        fm_cancel(t);
        fm_cancel(t);
        OK(op.disarmed == 0); /* on the waiter's executor, later */
        await fm_yield();
        OK(op.disarmed == 1);
        if (how == TOO_LATE) {
            fm_cancel(t);
            await fm_sleep(FM_MS(1));
            OK(fm_status(t) == FM_RUNNING && op.disarmed == 1);
            fm_resume(op.waiter);
        }
        OK(await fm_join(t) == (how == GIVES_UP ? 0 : 10));
        OK(op.armed == 1 && op.disarmed == 1);
    }
    struct op now = {.at_once = true};
    OK(await waits(&now) && now.armed == 1 && !now.disarmed);
    for (int i = 0; i < 300; i++) { /* both at once: exactly one wins */
        struct op op = {.how = TOO_LATE};
        pthread_t thread;
        FM_TASK(bool) t = fm_start(waits(&op));
        pthread_create(&thread, NULL, completes, &op);
        fm_cancel(t);
        OK(await fm_join(t));
        pthread_join(thread, NULL);
    }
    return 0;
}

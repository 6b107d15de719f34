// A chain resumes on the executor it suspended on, a user's own too.
// not: alloc
#include "ok.h"
#include <fermata.h>

static struct queue {
    fm_job *first, **last;
    int ran;
} q = {.last = &q.first};

static void
post(void *arg, fm_job *job)
{
    struct queue *to = arg;
    job->next = NULL;
    *to->last = job;
    to->last = &job->next;
}
static void
tick(void)
{
    while (q.first) {
        fm_job *job = q.first;
        if (!(q.first = job->next))
            q.last = &q.first;
        q.ran++;
        fm_job_run(job);
    }
}
static const fm_executor_vtable table = {.post = post};
static fm_executor *mine, *home;

static async int
moves(void)
{
    await fm_switch(mine);
    OK(fm_executor_self() == mine);
    await fm_yield();
    OK(fm_executor_self() == mine);
    return 1;
}
static async int
caller(int *steps)
{
    OK(fm_executor_self() == home);
    int n = await moves();
    OK(fm_executor_self() == home); /* back, whatever the callee did */
    *steps = 1;
    n += await moves();
    OK(fm_executor_self() == home);
    return n;
}
int
main(void)
{
    int steps = 0;
    mine = fm_executor_new(&table, &q);
    home = fm_executor_self();
    FM_TASK(int) t = fm_start(caller(&steps)), u = fm_start_on(mine, moves());
    OK(steps == 0 && fm_status(u) == FM_RUNNING);
    for (int i = 0; i < 10; i++) {
        tick();
        fm_run_until_idle();
    }
    OK(steps == 1 && fm_wait_task(t) == 2 && fm_wait_task(u) == 1);
    OK(q.ran >= 4);
    fm_release(t);
    fm_release(u);
    fm_executor_free(mine);
}

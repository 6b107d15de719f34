/* program.c: an async main: start, drive the loop, end the rest, exit.
 *
 * At main's end every task that is still alive is cancelled and waited for,
 * for FERMATA_EXIT_MS (5,000) at most; what then still runs is reported and
 * left. */
#include <stdlib.h>

#include "runtime/entry.h"
#include "runtime/pool.h"

struct task *fm__main_task;
bool fm__rest_is_left;

void
fm_abi_main_enter(void)
{
    fm__thread_start();
    fm__executor_here();
}

/* ---- the rest ------------------------------------------------------------------ */

struct rest {
    struct task **tasks;
    size_t count, room, at;
    bool timed_out;
    fm_timer limit, tick;
    struct task *few[16];
    fm_executor *executor;
};

/* Room for the tasks is made before the walk, which must not allocate. */
static void
rest_count(struct task *t, void *arg)
{
    struct rest *r = arg;

    r->room++;
    fm__sub(&t->refs, 1); /* its block stays: the walk holds the lock */
}

static void
rest_add(struct task *t, void *arg)
{
    struct rest *r = arg;

    if (r->count < r->room && task_state(t) == FM_RUNNING)
        r->tasks[r->count++] = t;
    else
        fm__sub(&t->refs, 1);
}

static bool
rest_is_over(void *arg)
{
    struct rest *r = arg;

    while (r->at < r->count && task_state(r->tasks[r->at]) != FM_RUNNING)
        r->at++;
    return r->at == r->count || r->timed_out;
}

static void
rest_limit(fm_timer *timer)
{
    struct rest *r = (void *)((char *)timer - offsetof(struct rest, limit));

    r->timed_out = true;
}

/* A task that ends on another thread does not wake this loop. */
static void
rest_tick(fm_timer *timer)
{
    struct rest *r = (void *)((char *)timer - offsetof(struct rest, tick));

    timer->deadline = fm_now() + FM_MS(5);
    fm_executor_timer_start(r->executor, timer);
}

static void
rest_free(struct rest *r)
{
    if (r->tasks != r->few)
        fm__sys_free(r->tasks);
}

static bool
rest_collect(struct rest *r)
{
    r->room = r->count = r->at = 0;
    fm__task_each(rest_count, r);
    if (!r->room)
        return false;
    r->tasks = fm__sys_alloc(r->room * sizeof(struct task *));
    if (!r->tasks) { /* some at a time */
        r->tasks = r->few;
        r->room = sizeof r->few / sizeof r->few[0];
    }
    fm__task_each(rest_add, r);
    return true;
}

/* Cancels and waits once; returns how many tasks there were. */
static size_t
rest_round(struct rest *r)
{
    size_t n;

    if (!rest_collect(r))
        return 0;
    n = r->count;
    for (size_t i = 0; i < n; i++)
        fm_abi_cancel(task_handle(r->tasks[i]));
    if (n)
        r->executor->vtable->drive(r->executor->arg, rest_is_over, r);
    for (size_t i = 0; i < n; i++) {
        struct task *t = r->tasks[i];
        if (r->timed_out && task_state(t) == FM_RUNNING) {
            fm__sys_say("fermata: main has ended; this task did not end and "
                        "is left:");
            fm__say_running(t);
            continue;
        }
        fm__task_release(t);
    }
    rest_free(r);
    return n;
}

void
fm_atfork_child(void)
{
    if (!fm_abi_loop_after_fork())
        return; /* there was no fork, or no loop before it: hence no task */
    /* The tasks of the parent are still in memory: nobody may touch them. */
    fm__rest_is_left = true;
    fm__pool_after_fork();
}

static void
end_rest(int64_t deadline)
{
    struct rest r = {.executor = fm__executor_here()};

    if (fm__rest_is_left || !rest_collect(&r))
        return;
    for (size_t i = 0; i < r.count; i++)
        fm__task_release(r.tasks[i]);
    rest_free(&r);
    if (r.count == 0)
        return;
    r.limit.fire = rest_limit;
    r.limit.deadline = deadline;
    fm_executor_timer_start(r.executor, &r.limit);
    r.tick.fire = rest_tick;
    rest_tick(&r.tick);
    while (!r.timed_out && rest_round(&r))
        continue;
    fm_executor_timer_stop(r.executor, &r.tick);
    if (!r.timed_out)
        fm_executor_timer_stop(r.executor, &r.limit);
}

int
fm_abi_main(int argc, char **argv, char **envp, void *task)
{
    struct task *t = task_of_record(task);
    int64_t deadline;
    fm_fault *f;
    int code = 1;

    (void)argc;
    (void)argv;
    (void)envp;
    fm__main_task = t;
    f = fm_abi_wait_attempt(task_handle(t));
    fm__main_task = NULL;
    if (f) {
        fm__fault_print("fermata: main", f);
        fm_fault_release(f);
    } else {
        code = *(int *)(void *)((char *)task + FM_ABI_RESULT);
    }
    fm_abi_release(task_handle(t));
    deadline = fm_now() + FM_MS(fm__sys_env_number("FERMATA_EXIT_MS", 5000));
    end_rest(deadline);
    fm__pool_stop(deadline);
    return code;
}

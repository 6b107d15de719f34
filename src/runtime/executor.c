/* executor.c: where continuations run, and blocking for a task in plain C.
 *
 * An executor is a table of functions and a number; tasks keep the number. */
#include "runtime/audit.h"
#include "runtime/entry.h"

fm_executor *fm__executors[EXECUTORS_MAX];
/* Each number's memory, used again with it: who still has the address of one
 * that was freed (a function that is to return to it) meets `gone` too. */
static fm_executor *memory[EXECUTORS_MAX];
static uint16_t last_id;

/* Stands in the place of an executor that was freed. */
static void
gone_post(void *arg, fm_job *job)
{
    (void)arg;
    (void)job;
    fm__die("a task was woken whose executor is freed");
}

static size_t
gone_pending(void *arg)
{
    (void)arg;
    return 0;
}

static const fm_executor_vtable gone_table = {.post = gone_post,
                                              .pending = gone_pending};
static fm_executor gone = {.vtable = &gone_table};

/* A number that is free; of those, one that was not used for long, so that
 * tasks of a freed executor meet `gone` and no stranger. 0: there is none. */
static uint16_t
free_id(void)
{
    uint16_t old = 0;

    for (unsigned n = 0; n < EXECUTORS_MAX; n++) {
        uint16_t id = (uint16_t)((last_id + 1 + n) % EXECUTORS_MAX);
        if (id && !fm__executors[id])
            return last_id = id;
        if (id && !old && fm__executors[id] == &gone)
            old = id;
    }
    return old;
}

fm_executor *
fm_executor_new(const fm_executor_vtable *vtable, void *arg)
{
    fm_executor *ex = NULL;
    uint16_t id;

    lock_take(&fm__locks[LOCK_EXECUTORS]);
    id = free_id();
    if (id && !(ex = memory[id]))
        ex = memory[id] = fm__sys_alloc(sizeof *ex);
    if (ex) {
        *ex = (fm_executor){.vtable = vtable, .arg = arg, .id = id};
        fm__executors[id] = ex;
    }
    lock_give(&fm__locks[LOCK_EXECUTORS]);
    return ex;
}

void
fm_executor_show(fm_executor *ex, fm_ready *queue)
{
    ex->ready = queue;
}

void
fm_executor_free(fm_executor *ex)
{
    if (!ex)
        return;
    if (ex->vtable == &gone_table)
        fm__die("fm_executor_free: of an executor that was freed before");
    if (ex->vtable->free)
        ex->vtable->free(ex->arg);
    lock_take(&fm__locks[LOCK_EXECUTORS]);
    fm__executors[ex->id] = &gone;
    ex->vtable = &gone_table;
    lock_give(&fm__locks[LOCK_EXECUTORS]);
    if (fm__thread.executor == ex)
        fm__thread.executor = NULL;
}

/* Something may still happen on one of them, as far as they tell. */
bool
fm__executors_busy(void)
{
    bool busy = false;

    lock_take(&fm__locks[LOCK_EXECUTORS]);
    for (unsigned id = 1; id < EXECUTORS_MAX && !busy; id++) {
        fm_executor *ex = fm__executors[id];
        busy = ex && (!ex->vtable->pending || ex->vtable->pending(ex->arg));
    }
    lock_give(&fm__locks[LOCK_EXECUTORS]);
    return busy;
}

fm_executor *
fm__executor_default(void)
{
    fm__thread_start();
    fm__thread.executor = fm_loop();
    if (!fm__thread.executor)
        fm__die("no event loop can be made for this thread");
    return fm__thread.executor;
}

fm_executor *
fm_executor_self(void)
{
    return fm__executor_here();
}

/* The executor that keeps ex's timers. */
fm_executor *
fm__executor_timers(fm_executor *ex)
{
    return ex->vtable->timer_start ? ex : fm_abi_loop_beside();
}

void
fm_executor_timer_start(fm_executor *ex, fm_timer *timer)
{
    ex = fm__executor_timers(ex);
    ex->vtable->timer_start(ex->arg, timer);
}

bool
fm_executor_timer_stop(fm_executor *ex, fm_timer *timer)
{
    ex = fm__executor_timers(ex);
    return ex->vtable->timer_stop(ex->arg, timer);
}

/* ---- blocking ---------------------------------------------------------------- */

/* On the stack of the thread that waits. As long as the process has one
 * thread, the task can end only in between two looks; from then on it is
 * listened to, and over once `nudge` has run here. */
struct blocked {
    fm_job listener; /* on the task's list */
    fm_job nudge; /* wakes the sleeping loop */
    fm_executor *executor;
    fm_timer timer;
    struct task *task;
    bool listens, over;
    /* Set by the timer, maybe on the thread of the loop beside. */
    _Atomic bool timed_out;
};

static void
blocked_listen(struct blocked *b)
{
    b->listens = fm__task_listen(b->task, &b->listener);
    b->over = !b->listens;
}

static void
blocked_nudge(fm_job *job)
{
    struct blocked *b = (void *)((char *)job - offsetof(struct blocked, nudge));

    b->over = true;
}

/* On whatever thread the task ends. */
static void
blocked_end(fm_job *job)
{
    struct blocked *b =
        (void *)((char *)job - offsetof(struct blocked, listener));

    b->executor->vtable->post(b->executor->arg, &b->nudge);
}

static void
blocked_fire(fm_timer *timer)
{
    struct blocked *b =
        (void *)((char *)timer - offsetof(struct blocked, timer));

    fm__store_release(&b->timed_out, true); /* the last touch of b */
}

static bool
blocked_is_over(void *arg)
{
    struct blocked *b = arg;

    if (b->over || fm__load_acquire(&b->timed_out))
        return true;
    if (!b->listens) {
        if (task_state(b->task) != FM_RUNNING)
            return b->over = true;
        if (!fm__alone())
            blocked_listen(b);
    }
    if (b->task == fm__main_task)
        fm__deadlock_look(b->executor);
    return b->over;
}

static fm_executor *
executor_to_drive(void)
{
    fm_executor *ex;

    if (fm__thread.root)
        fm__die("fm_wait inside an async function: it would block the loop "
                "that it waits for; use await");
    if (fm__thread.in_job)
        fm__die("fm_wait on an executor's own thread: it would block the "
                "loop that it waits for; start a task instead");
    ex = fm__executor_here();
    if (!ex->vtable->drive)
        fm__die("fm_wait: the executor of this thread cannot be driven");
    return ex;
}

/* After this the timer does not touch b any more. */
static void
blocked_stop_timer(struct blocked *b)
{
    if (fm__load_acquire(&b->timed_out) ||
        fm_executor_timer_stop(b->executor, &b->timer))
        return;
    while (!fm__load_acquire(&b->timed_out))
        fm__sys_yield_thread();
}

/* False: ns have passed and t has not ended. */
static bool
block_for(struct task *t, int64_t ns)
{
    struct blocked b = {
        .task = t, .listener.run = blocked_end, .nudge.run = blocked_nudge};
    fm_executor *ex = executor_to_drive();
    const fm_executor_vtable *v = ex->vtable;
    int64_t now;

    b.executor = ex;
    if (ns != FM_FOREVER) {
        now = fm_now();
        b.timer.fire = blocked_fire;
        b.timer.deadline = ns > INT64_MAX - now ? INT64_MAX : now + ns;
        fm_executor_timer_start(ex, &b.timer);
    }
    v->drive(ex->arg, blocked_is_over, &b);
    if (fm__load_acquire(&b.timed_out) &&
        (b.listens ? fm__task_unlisten(t, &b.listener)
                   : task_state(t) == FM_RUNNING))
        return false;
    if (b.timer.fire)
        blocked_stop_timer(&b);
    fm__store(&b.timed_out, false);
    if (!b.over)
        v->drive(ex->arg, blocked_is_over, &b); /* its end is under way */
    return true;
}

/* Runs what is ready on this thread, a few jobs: often that is all there is
 * to wait for, and nobody need be told of the end. Many short waits in a row
 * must not keep the executor from its timers and events, though. */
static void
run_ready(fm_executor *ex, struct task *t)
{
    struct thread *th = &fm__thread;
    fm_ready *q = ex->ready;
    size_t from = q ? q->taken : 0; /* a job may take those behind it */
    fm_job *job;

    if (th->unlooked >= UNLOOKED_MAX) {
        th->unlooked = 0;
        return;
    }
    while (q && q->taken - from < TURN && (job = q->first)) {
        th->unlooked++;
        if (!(q->first = job->next))
            q->last = &q->first;
        q->taken++;
        fm_job_run(job);
        if (task_state(t) != FM_RUNNING)
            return;
    }
}

fm_fault *
fm_abi_wait_attempt(fm_task *handle)
{
    struct task *t = task_of(handle);

    fm__audit_task(t, "fm_wait");
    if (task_state(t) == FM_RUNNING) {
        run_ready(executor_to_drive(), t);
        if (task_state(t) == FM_RUNNING)
            block_for(t, FM_FOREVER);
    }
    if (task_state(t) == FM_DONE)
        return NULL;
    return fault_untag(fm__task_raise(t, false));
}

void
fm_abi_wait(fm_task *handle)
{
    fm_fault *f;

    if (likely(task_state(task_of(handle)) == FM_DONE))
        return;
    f = fm_abi_wait_attempt(handle);
    if (likely(!f))
        return;
    fm__fault_print("fermata: fm_wait", f);
    fm__die("a fault has nowhere to go in ordinary C: "
            "use fm_attempt_wait");
}

void
fm_abi_wait_timed_out(fm_task *t)
{
    (void)t;
    fm__die("fm_wait_task_for: timed out, which has nowhere to go in "
            "ordinary C: use fm_attempt_wait");
}

bool
fm_abi_wait_for(fm_task *handle, int64_t ns)
{
    struct task *t = task_of(handle);

    if (task_state(t) == FM_RUNNING && !block_for(t, ns))
        return false;
    fm_abi_wait(handle);
    return true;
}

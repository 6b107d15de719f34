/* group.c: tasks that end together (FM_GROUP of sync.h).
 *
 * Each task of a group has a part, on the task's list of waiters: whoever
 * ends the task runs it. It drops the handle at once, so a group of many short
 * tasks does not grow. Parts are linked, those that were asked to stop apart
 * from the others, so that each is asked once and outside of the lock. */
#include "runtime/entry.h"

#include <fermata/sync.h>

fm_async void fm_abi_raise(fm_fault *f) __attribute__((noreturn)); /* fault.c */

struct group;

struct part {
    fm_job job; /* on the task's list; next links spare ones */
    struct part *after, **at; /* the group's list of those that run */
    struct group *group;
    fm_task *task; /* one reference */
};

/* The public fm_group, all zero when it is new. `running` counts parts on both
 * lists, and one for each part that is being asked to stop. */
struct group {
    struct lock lock;
    uint32_t causes;
    size_t running;
    struct part *untold, *told; /* asked to stop: told */
    fm_job *spare;
    fm_fault *fault; /* the first one */
    fm_waiter *closer; /* waits until nothing runs */
    bool stopped; /* all were asked to stop, and the next ones are */
};
_Static_assert(sizeof(struct group) <= sizeof(fm_group), "room for a group");

static struct group *
group_of(fm_group *g)
{
    return (struct group *)(void *)g;
}

/* ---- the lists, under the lock ---- */

static void
part_link(struct part **list, struct part *p)
{
    p->after = *list;
    p->at = list;
    if (p->after)
        p->after->at = &p->after;
    *list = p;
}

static void
part_unlink(struct part *p)
{
    *p->at = p->after;
    if (p->after)
        p->after->at = p->at;
}

/* Gives the lock back; one that runs no more is taken off the count. The
 * group may be gone afterwards, if that was the last one. */
static void
unlock_over(struct group *g)
{
    fm_waiter *closer = NULL;

    if (!--g->running) {
        closer = g->closer;
        g->closer = NULL;
    }
    lock_give(&g->lock);
    if (closer)
        fm_resume_later(closer);
}

/* ---- asking them to stop ---- */

/* One after the other, outside of the lock, each under a reference. The whole
 * of it counts as one that runs: the group stays. */
static void
stop_all(struct group *g)
{
    lock_take(&g->lock);
    g->stopped = true;
    g->running++;
    for (struct part *p; (p = g->untold);) {
        fm_task *t = fm_abi_retain(p->task);
        part_unlink(p);
        part_link(&g->told, p);
        lock_give(&g->lock);
        fm_abi_cancel(t);
        fm_abi_release(t);
        lock_take(&g->lock);
    }
    unlock_over(g);
}

void
fm_group_cancel(fm_group *g)
{
    stop_all(group_of(g));
}

/* ---- one ends ---- */

/* The task has ended: its fault, or null. Those that ended as they were asked
 * to have none. */
static fm_fault *
fault_of(struct group *g, fm_task *t)
{
    enum fm_status status = fm_abi_status(t);

    if (status == FM_DONE || (status == FM_CANCELLED && g->stopped))
        return NULL;
    return fault_untag(fm__task_raise(task_of(t), false));
}

/* Keeps a fault; true: it is the first. */
static bool
fault_keep(struct group *g, fm_fault *f)
{
    bool first = !g->fault;

    if (first)
        g->fault = f;
    else if (g->causes++ < CAUSES_MAX)
        g->fault =
            fault_untag(fm_abi_fault_join(fault_tag(g->fault), fault_tag(f)));
    else
        fm_fault_release(f);
    return first;
}

/* Inside the task's end, on whatever thread that is. */
static void
part_over(struct part *p)
{
    struct group *g = p->group;
    fm_task *t = p->task;
    bool first = false;
    fm_fault *f;

    lock_take(&g->lock);
    part_unlink(p);
    f = fault_of(g, t);
    if (f)
        first = fault_keep(g, f) && !g->stopped;
    lock_give(&g->lock);
    if (first)
        stop_all(g);
    fm_abi_release(t);
    fm_abi_record_free(p, sizeof *p);
    lock_take(&g->lock);
    unlock_over(g);
}

static void
part_run(fm_job *job)
{
    part_over((struct part *)(void *)job);
}

/* ---- one starts ---- */

/* So that a task that runs can always be entered. */
fm_async void
fm_abi_group_reserve(fm_group *at)
{
    struct group *g = group_of(at);
    struct part *p = fm__record_new(sizeof *p);

    if (!p)
        fm_await fm_abi_raise(fm_abi_enomem_fault());
    lock_take(&g->lock);
    p->job.next = g->spare;
    g->spare = &p->job;
    lock_give(&g->lock);
}

void
fm_abi_group_add(fm_group *at, fm_task *t)
{
    struct group *g = group_of(at);
    struct part *p;

    lock_take(&g->lock);
    p = (struct part *)(void *)g->spare;
    if (!p)
        fm__die("fm_group_start: the group was closed while this call was "
                "being started in it");
    g->spare = p->job.next;
    if (fm_abi_status(t) == FM_DONE) {
        lock_give(&g->lock);
        fm_abi_release(t);
        fm_abi_record_free(p, sizeof *p);
        return;
    }
    p->job.run = part_run;
    p->group = g;
    p->task = t;
    part_link(g->stopped ? &g->told : &g->untold, p);
    g->running++;
    bool stopped = g->stopped;
    if (stopped)
        fm_abi_retain(t);
    lock_give(&g->lock);
    if (!fm__task_listen(task_of(t), &p->job))
        part_over(p);
    if (stopped) {
        fm_abi_cancel(t);
        fm_abi_release(t);
    }
}

/* ---- the end ---- */

static void
arm(fm_waiter *waiter, void *arg)
{
    struct group *g = arg;

    lock_take(&g->lock);
    bool now = !g->running;
    if (g->closer)
        fm__die("fm_group_close: another task is closing this group already");
    if (!now)
        g->closer = waiter;
    lock_give(&g->lock);
    if (now)
        fm_resume(waiter);
}

static bool
disarm(fm_waiter *waiter, void *arg)
{
    struct group *g = arg;

    (void)waiter;
    lock_take(&g->lock);
    bool armed = g->closer != NULL;
    g->closer = NULL;
    lock_give(&g->lock);
    return armed;
}

static bool
is_running(struct group *g)
{
    lock_take(&g->lock);
    bool running = g->running;
    lock_give(&g->lock);
    return running;
}

/* Nothing runs; the group is as new. Returns its fault. */
static fm_fault *
group_reset(struct group *g)
{
    fm_fault *f = g->fault;

    for (fm_job *next; g->spare; g->spare = next) {
        next = g->spare->next;
        fm_abi_record_free(g->spare, sizeof(struct part));
    }
    g->fault = NULL;
    g->causes = 0;
    g->stopped = false;
    return f;
}

/* Not interrupted, and without memory: there is no other way out. */
static fm_async void
stop_and_wait(struct group *g)
{
    if (!is_running(g))
        return;
    stop_all(g);
    while (is_running(g)) /* after ENOMEM: the next needs no more memory */
        (void)(fm_await fm_attempt(NULL, fm_suspend(arm, g)));
}

/* The closer's own fault, with what else happened as its cause. */
static fm_fault *
with_cause(fm_fault *own, fm_fault *also)
{
    return also
               ? fault_untag(fm_abi_fault_join(fault_tag(own), fault_tag(also)))
               : own;
}

fm_async void
fm_group_close(fm_group *at)
{
    struct group *g = group_of(at);
    bool waits = is_running(g) || fm_cancel_pending();
    fm_fault *f;

    for (; waits; waits = is_running(g))
        if (!fm_await fm_suspend_until(arm, disarm, g)) {
            f = fm__cancel_fault(); /* or ENOMEM: known only now */
            fm_await stop_and_wait(g);
            fm_await fm_abi_raise(with_cause(f, group_reset(g)));
        }
    f = group_reset(g);
    if (f)
        fm_await fm_abi_raise(f);
}

fm_async void
fm_abi_group_leave(fm_group *at)
{
    struct group *g = group_of(at);
    fm_fault *f;

    fm_await stop_and_wait(g);
    f = group_reset(g);
    if (f)
        fm_await fm_abi_raise(f);
}

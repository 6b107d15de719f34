/* leaf.c: the awaits at the end of every chain: suspend, yield, switch.
 *
 * A leaf writes into the innermost root what it wants and returns the address
 * of the root's leaf record, or it succeeds or fails at once. Nothing begins
 * before the root has armed it (arm.c). Awaits of tasks are in task.c. */
#include "runtime/entry.h"
#include "runtime/pool.h"

static struct root *
root_here(const char *who)
{
    struct root *root = fm__thread.root;

    if (unlikely(!root))
        fm__die("%s: called outside an async function", who);
    return root;
}

void *
fm__suspend(fm_arm *arm, void *arg)
{
    struct root *root = root_here("fm_suspend");

    root->kind = LEAF_SUSPEND;
    root->arm = arm;
    root->arg = arg;
    return &root->leaf;
}

/* The rest of what a wait that can be disarmed is. */
static inline void
watch_begin(struct root *root, struct watch *w, enum leaf kind, fm_arm *arm)
{
    root->kind = (uint8_t)kind;
    root->watch = w;
    root->arm = arm;
    root->arg = w->arg;
}

struct split_bool
fm__suspend_until(fm_arm *arm, fm_disarm *disarm, void *arg)
{
    struct root *root = root_here("fm_suspend_until");
    struct watch *w = NULL;

    if (unlikely(fm__cancel_pending()))
        return (struct split_bool){0, NULL};
    if (likely(!fm__thread.context) &&
        likely((w = record_take(sizeof *w)) != NULL)) {
        *w = (struct watch){.bytes = sizeof *w};
    } else if (!(w = fm__watch_with(root, 0))) {
        fm__wait_poor(root);
        return (struct split_bool){0, NULL};
    }
    w->context = NULL;
    w->kind = LEAF_UNTIL;
    w->disarm = disarm;
    w->arg = arg;
    watch_begin(root, w, LEAF_UNTIL, arm);
    return (struct split_bool){0, &root->leaf};
}

__attribute__((noinline)) static void *
park_new_slow(size_t bytes, fm_arm *arm, fm_disarm *disarm)
{
    struct root *root = root_here("a wait");
    struct watch *w = fm__watch_with(root, bytes);

    if (!w)
        return NULL;
    w->context = NULL;
    w->kind = LEAF_PARK;
    w->disarm = disarm;
    w->arg = w + 1;
    watch_begin(root, w, LEAF_PARK, arm);
    ((struct fm_abi_park *)w->arg)->fault = NULL;
    return w->arg;
}

void *
fm_abi_park_new(size_t bytes, fm_arm *arm, fm_disarm *disarm)
{
    size_t all = sizeof(struct watch) + ((bytes + 15) & ~(size_t)15);
    struct thread *th = &fm__thread;
    struct fm_abi_park *park;
    struct watch *w;

    if (unlikely(th->context != NULL) || unlikely(all > FM_ABI_FREE_MAX) ||
        unlikely(!th->root) || unlikely(!(w = record_take(all))))
        return park_new_slow(bytes, arm, disarm);
    park = (void *)(w + 1);
    *w = (struct watch){
        .disarm = disarm, .arg = park, .bytes = all, .kind = LEAF_PARK};
    watch_begin(th->root, w, LEAF_PARK, arm);
    park->fault = NULL;
    return park;
}

void *
fm__park_on(struct fm_abi_park *park)
{
    if (unlikely(!park))
        return fm_abi_enomem();
    return &fm__thread.root->leaf;
}

struct split_bool
fm__park_value(struct fm_abi_park *park)
{
    if (unlikely(!park))
        return (struct split_bool){0, fm_abi_enomem()};
    ((struct watch *)(void *)park - 1)->has_value = true;
    return (struct split_bool){0, &fm__thread.root->leaf};
}

struct split_bool
fm__place_wait(struct fm_abi_place *place)
{
    struct root *root = fm__thread.root;

    root->kind = LEAF_PLACE;
    root->place = place;
    return (struct split_bool){0, &root->leaf};
}

/* So much was done at once that the executor is to look around soon, at its
 * timers too, and not only at who else is ready. */
static void
budget_is_over(void)
{
    fm__thread.budget = BUDGET;
    if (fm__thread.root)
        fm__thread.root->turns = 0;
}

enum fm_abi_go
fm_abi_may_go(void)
{
    struct thread *th = &fm__thread;

    if (unlikely(fm__cancel_pending()))
        return FM_ABI_CANCELLED;
    if (likely(--th->budget != 0))
        return FM_ABI_GO;
    budget_is_over();
    return FM_ABI_GO_YIELD;
}

__attribute__((noinline)) static void *
yield_slow(struct root *root)
{
    if (fm__cancel_pending_slow())
        return fault_tag(fm__cancel_fault());
    return &root->leaf;
}

/* Most yields are done without this call, and leave it to who has the root to
 * see that the task was cancelled. */
void *
fm__yield(void)
{
    struct root *root = fm__thread.root;

    if (unlikely(fm__thread.context != NULL) ||
        unlikely(fm__load(&root->task->sync) & SYNC_CANCEL))
        return yield_slow(root);
    return &root->leaf;
}

void *
fm__checkpoint(void)
{
    if (unlikely(fm__cancel_pending()))
        return fault_tag(fm__cancel_fault());
    if (likely(--fm__thread.budget != 0))
        return NULL;
    budget_is_over();
    return fm__yield();
}

__attribute__((noinline, cold)) static void *
no_executor(const char *text)
{
    return fault_tag(fm__fault_make(FM__EINVAL, NULL, text));
}

static void *
switch_to(fm_executor *ex)
{
    struct root *root = fm__thread.root;

    if (ex == fm__thread.executor)
        return NULL;
    root->kind = LEAF_SWITCH;
    root->executor = ex;
    return &root->leaf;
}

void *
fm__switch(fm_executor *ex)
{
    root_here("fm_switch");
    fm__executor_here();
    if (unlikely(!ex))
        return no_executor("fm_switch: of no executor");
    if (unlikely(fm__cancel_pending()))
        return fault_tag(fm__cancel_fault());
    return switch_to(ex);
}

/* The first await of a call that was started on an executor. It begins there
 * though it be cancelled already, as a call of fm_start does: what it was
 * handed may be its own to give back. On the pool it is queued even if this is
 * one of its threads: so that others may take it. */
void *
fm__begin_on(fm_executor *ex)
{
    struct root *root = root_here("fm_start_on");
    void *end;

    fm__executor_here();
    if (unlikely(!ex))
        return no_executor("fm_start_on: of no executor");
    end = switch_to(ex);
    if (end || !ex->yield || fm__pool_runs_here(ex))
        return end;
    if (unlikely(fm__cancel_pending())) { /* which would end a yield */
        root->kind = LEAF_SWITCH;
        root->executor = ex;
    }
    return &root->leaf;
}

void *
fm__hop_back(void *executor)
{
    root_here("fm_abi_hop_back");
    return switch_to(executor);
}

void *
fm_abi_exit_scope(void)
{
    return fm__executor_here();
}

fm_task *
fm_self(void)
{
    struct root *root = fm__thread.root;

    return root && root->task != &fm__no_task ? task_handle(root->task) : NULL;
}

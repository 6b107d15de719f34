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

struct split_bool
fm__suspend_until(fm_arm *arm, fm_disarm *disarm, void *arg)
{
    struct root *root = root_here("fm_suspend_until");
    struct watch *w = NULL;

    if (unlikely(fm__cancel_pending()))
        return (struct split_bool){0, NULL};
    if (likely(!fm__thread.context))
        w = record_take(sizeof *w);
    if (likely(w != NULL)) {
        w->count = 0;
        w->shielded = false;
    } else if (!fm__watch_new(root, true, &w)) {
        fm__wait_poor(root);
        return (struct split_bool){0, NULL};
    }
    w->context = NULL;
    w->kind = LEAF_UNTIL;
    w->disarm = disarm;
    w->arg = arg;
    root->kind = LEAF_UNTIL;
    root->watch = w;
    root->arm = arm;
    root->arg = arg;
    return (struct split_bool){0, &root->leaf};
}

__attribute__((noinline)) static void *
yield_slow(struct root *root)
{
    if (fm__cancel_pending_slow())
        return fault_tag(fm__cancel_fault());
    return &root->leaf;
}

/* A resume function yields without this call and leaves it to the dispatcher
 * to see that the task was cancelled. */
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
    fm__thread.budget = BUDGET;
    return fm__yield();
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
        return fault_tag(
            fm__fault_make(FM__EINVAL, NULL, "fm_switch: of no executor"));
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
    end = switch_to(ex);
    if (end || !ex->yield || fm__pool_runs_here(ex))
        return end;
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

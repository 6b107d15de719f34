/* arm.c: what a root does once its chain is complete.
 *
 * Saves into the task what a wake will need, and begins the wait: calls the
 * leaf's callback, enters the task into another's list, posts its job. From
 * then on somebody else may resume the chain, so nothing here touches it
 * after the last of these. */
#include "runtime/roots.h"

/* The root's context becomes the suspended task's, with a reference. */
struct scope *
fm__context_keep(struct root *root)
{
    struct scope *now = fm__thread.context;

    if (now != root->held) {
        scope_retain(now);
        if (root->held)
            fm__scope_release(root->held);
    }
    root->held = NULL;
    return now;
}

/* From here on somebody may give the wait up. True: its task was cancelled
 * since the leaf looked. */
static bool
wait_begin(struct task *t, bool shielded)
{
    unsigned bits = SYNC_ARMED | (shielded ? SYNC_SHIELD : 0);

    return (fm__or(&t->sync, bits) & SYNC_CANCEL) && !shielded;
}

void
fm__arm_over(struct task *t, bool cancelled)
{
    uint8_t s = fm__load_acquire(&t->sync);
    unsigned now;

    do {
        now = s & ~(SYNC_ARMING | SYNC_DONE | SYNC_CLAIMED);
        if (s & SYNC_DONE)
            now &= ~SYNC_SHIELD;
        else if ((s & SYNC_CLAIMED) || cancelled)
            now |= SYNC_ARMED | SYNC_CLAIMED;
        else
            now |= SYNC_ARMED;
    } while (!fm__cas8(&t->sync, &s, now));
    if ((s & SYNC_DONE) || ((now & SYNC_CLAIMED) && fm__wait_claimed(t)))
        fm__task_post(t);
}

/* Arms a wait that others may end, resume and bring to the end of its task
 * on another thread before this has returned: on the pool, and for an await of
 * a task in a process with threads, as a canceller must not look for its node
 * on that task's list before it is there. */
static void
arm_guarded(struct root *root, struct task *t)
{
    struct watch *w = root->kind >= LEAF_UNTIL ? root->watch : NULL;
    bool shielded = root->kind == LEAF_SUSPEND || (w && w->shielded);
    unsigned bits = SYNC_ARMING | (shielded ? SYNC_SHIELD : 0);
    bool cancelled = (fm__or(&t->sync, bits) & SYNC_CANCEL) && !shielded;

    if (root->kind == LEAF_TASK || root->kind == LEAF_JOIN) {
        if (!fm__task_listen(root->target, &t->job))
            fm__wait_end(t); /* it ended in between: noted */
    } else {
        arm_call(root, t);
    }
    if (w)
        fm__watch_arm(w);
    fm__arm_over(t, cancelled);
}

static inline void
arm_task(struct root *root, struct task *t, bool shielded)
{
    bool cancelled = wait_begin(t, shielded);

    if (!fm__task_listen(root->target, &t->job) && fm__wait_end(t))
        fm__task_post(t); /* it ended in between */
    if (unlikely(cancelled))
        fm__task_interrupt(t);
}

static void
arm_with_watch(struct root *root, struct task *t, uintptr_t own)
{
    struct watch *w = root->watch;
    bool task = root->kind >= LEAF_TASK;

    w->context = fm__context_keep(root);
    w->task = t;
    w->kind = root->kind;
    if (task)
        w->awaited = root->target;
    t->wait = (uintptr_t)w | HELD_WATCH | own;
    if (task_executor(t)->yield || (task && !fm__alone())) {
        arm_guarded(root, t);
        return;
    }
    if (task) {
        arm_task(root, t, w->shielded);
        fm__watch_arm(w);
        return;
    }
    /* Whoever gives up from here on posts to this thread, so the disarming
     * comes after the arming. */
    if (wait_begin(t, w->shielded))
        fm__task_interrupt(t);
    fm__watch_arm(w);
    arm_call(root, t);
}

/* A wait that can be disarmed, under no ambient list. */
static void
arm_until(struct root *root, struct task *t)
{
    t->wait = (uintptr_t)root->watch | HELD_WATCH;
    if (unlikely(wait_begin(t, false)))
        fm__task_interrupt(t);
    arm_call(root, t);
}

/* A yield under no ambient list. */
static void
arm_yield(struct task *t, fm_executor *ex)
{
    t->wait = 0;
    if (likely(ex->ready != NULL))
        ready_append(ex->ready, &t->job);
    else if (ex->yield)
        ex->yield(&t->job);
    else
        fm__task_post(t);
}

/* An await of a task under no ambient list. */
static void
arm_await(struct root *root, struct task *t)
{
    t->wait = (uintptr_t)root->target |
              (root->kind == LEAF_JOIN ? HELD_JOIN : HELD_TASK);
    if (unlikely(!fm__alone()))
        arm_guarded(root, t);
    else
        arm_task(root, t, false);
}

/* Whatever there is to keep and to watch. */
__attribute__((noinline)) static void
arm_in_full(struct root *root, struct task *t)
{
    uintptr_t own = root->own ? HELD_OWN : 0;
    fm_executor *ex = task_executor(t);

    if (root->kind >= LEAF_UNTIL && root->watch) {
        arm_with_watch(root, t, own);
        return;
    }
    switch ((enum leaf)root->kind) {
    case LEAF_SWITCH:
        t->wait = (uintptr_t)fm__context_keep(root) | own;
        fm__store_release(&t->executor, root->executor->id);
        fm__task_post(t);
        return;
    case LEAF_YIELD:
        fm__clocks_start(fm__thread.context);
        t->wait = (uintptr_t)fm__context_keep(root) | own;
        if (ex->yield)
            ex->yield(&t->job);
        else
            fm__task_post(t);
        return;
    case LEAF_PLACE: /* seen to before */
    case LEAF_SUSPEND:
    case LEAF_UNTIL:
    case LEAF_PARK:
        t->wait = (uintptr_t)fm__context_keep(root) | own;
        if (ex->yield) {
            arm_guarded(root, t);
            return;
        }
        wait_begin(t, true);
        arm_call(root, t);
        return;
    case LEAF_TASK:
    case LEAF_JOIN:
        t->wait = (uintptr_t)root->target |
                  (root->kind == LEAF_JOIN ? HELD_JOIN : HELD_TASK) | own;
        if (ex->yield || !fm__alone())
            arm_guarded(root, t);
        else
            arm_task(root, t, false);
        return;
    }
}

/* Everything but the plain waits that chain_arm sees to; most are under no
 * ambient list, on an executor of one thread. */
void
fm__chain_arm_slow(struct root *root, struct task *t)
{
    fm_executor *ex = fm__thread.executor;

    if (unlikely(!context_is_empty(root)))
        arm_in_full(root, t);
    else if (root->kind == LEAF_YIELD)
        arm_yield(t, ex);
    else if (unlikely(ex->yield != NULL))
        arm_in_full(root, t);
    else if (root->kind == LEAF_UNTIL || root->kind == LEAF_PARK)
        arm_until(root, t);
    else if (root->kind >= LEAF_TASK && likely(!root->watch))
        arm_await(root, t);
    else
        arm_in_full(root, t);
}

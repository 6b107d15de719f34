/* roots.h: what the dispatcher and the starts do with a root: leave it, and
 * arm the leaf of its chain. */
#ifndef FM_ROOTS_H
#define FM_ROOTS_H

#include "runtime/audit.h"
#include "runtime/entry.h"

static inline void
root_leave(struct root *root)
{
    struct thread *th = &fm__thread;

    th->root = root->outer;
    th->context = root->outer_context;
}

/* No ambient list is there, and none came with the root. */
static inline bool
context_is_empty(const struct root *root)
{
    return !((uintptr_t)fm__thread.context | (uintptr_t)root->held);
}

static inline void
task_save_head(struct task *t, const struct fm_record *head)
{
    t->job.run = (void (*)(fm_job *))((uintptr_t)head + JOB_TASK);
    fm__audit_suspend(t);
}

/* What t needs to be resumed from head, but for its ambient list. */
static inline void
task_save(struct task *t, const struct fm_record *head)
{
    task_save_head(t, head);
    t->error = (uint8_t)*fm__thread.error;
}

static inline void
arm_call(struct root *root, struct task *t)
{
    struct thread *th = &fm__thread;

    fm__audit_arm(t);
    th->nested += ARMING;
    root->arm((fm_waiter *)t, root->arg);
    th->nested -= ARMING;
}

/* A wait at a place: begun already, in a process of one thread and under no
 * ambient list. */
static inline void
arm_place(struct root *root, struct task *t)
{
    uint8_t s = fm__load(&t->sync);

    fm__audit_arm(t);
    t->wait = (uintptr_t)root->place | HELD_PLACE;
    *((uint8_t *)root->leaf.next + FM_ABI_RESULT) = true;
    fm__store(&t->sync, (uint8_t)(s | SYNC_ARMED));
    if (unlikely(s & SYNC_CANCEL))
        fm__task_interrupt(t);
}

void fm__chain_arm_slow(struct root *root, struct task *t);

/* The chain of root is complete, with t at its end; ex runs here. After this the root owns
 * nothing of it: it may run elsewhere already. */
static inline void
chain_arm(struct root *root, struct task *t, fm_executor *ex)
{
    task_save(t, root->leaf.next);
    fm__store(&t->executor, ex->id);
    if (likely(root->kind == LEAF_SUSPEND) && likely(context_is_empty(root)) &&
        likely(fm__alone())) {
        t->wait = 0;
        arm_call(root, t);
    } else if (root->kind == LEAF_PLACE) {
        arm_place(root, t);
    } else {
        fm__chain_arm_slow(root, t);
    }
}

/* The reserve was used while the chain of root was built: its leaf is not
 * armed. Returns the fault to resume the chain with; null: a wait that may be
 * given up is given up, so that who waits can undo what it began. */
void *fm__root_starves(struct root *root);

/* Resumes t with a fault; null: its wait was given up for want of memory. */
void fm__fail_chain(struct task *t, void *fault);

#endif

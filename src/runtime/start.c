/* start.c: from a ramp that has returned to a task.
 *
 * Compiled code enters a root, calls a ramp and leaves the root with what the
 * ramp returned: the call is complete, it ended with a fault, or its chain is
 * complete up to here and is armed. */
#include <string.h>

#include "runtime/roots.h"

struct task fm__no_task;

void
fm_abi_root_enter(struct fm_root *r, void *task_record)
{
    struct thread *th = &fm__thread;
    struct root *root = root_of(r);

    root->outer = th->root;
    root->task = task_record ? task_of_record(task_record) : &fm__no_task;
    root->outer_context = th->context;
    root->held = NULL;
    root->state = LEAF_YIELD;
    th->root = root;
}

/* The chain is complete, and goes on at once with a fault; null: see
 * fm__fail_chain. */
static void
chain_fails(struct root *root, struct task *t, void *fault)
{
    task_save(t, root->leaf.next);
    t->wait = (uintptr_t)fm__context_keep(root) | (root->own ? HELD_OWN : 0);
    root_leave(root);
    fm__fail_chain(t, fault);
}

/* The chain of a root that began here is complete: arms it and leaves the
 * root. */
__attribute__((noinline)) static void
chain_suspended(struct root *root, struct task *t)
{
    if (unlikely(fm__thread.starved)) {
        chain_fails(root, t, fm__root_starves(root));
        return;
    }
    if (root->kind == LEAF_YIELD && fm__cancel_pending()) {
        chain_fails(root, t, fault_tag(fm__cancel_fault()));
        return;
    }
    chain_arm(root, t, fm__executor_here());
    root_leave(root);
}

/* The same of a yield with nothing to it, or of nothing: false. Such a root
 * holds no list. */
static inline bool
chain_yields(struct root *root, struct task *t)
{
    struct thread *th = &fm__thread;
    fm_executor *ex = th->executor;

    if (root->state != 0 || unlikely(th->context != NULL) || unlikely(!ex) ||
        unlikely(!ex->ready) || unlikely(fm__load(&t->sync) & SYNC_CANCEL))
        return false;
    task_save(t, root->leaf.next);
    fm__store(&t->executor, ex->id);
    t->wait = 0;
    ready_append(ex->ready, &t->job);
    root_leave(root);
    return true;
}

__attribute__((noinline)) static void
start_ends(struct root *root, void *fault)
{
    struct task *next;

    root_leave(root);
    next = task_finish(root->task, fault);
    if (unlikely(next != NULL))
        fm__resume_chain(next);
}

void
fm_abi_start_leave(struct fm_root *r, void *p)
{
    struct root *root = root_of(r);

    if (!p || is_fault(p))
        start_ends(root, p);
    else if (!chain_yields(root, root->task))
        chain_suspended(root, root->task);
}

/* The record at the end of a chain that began without a task: its result is
 * already in place when it is resumed. */
__attribute__((used)) static void *
begin_resume(struct fm_record *record, void *fault)
{
    (void)record;
    return fault;
}

#define BEGIN_BYTES 16
__asm__(".pushsection .rodata.fm__begin_point,\"a\",@progbits\n"
        ".balign 4\n"
        ".globl fm__begin_point\n"
        ".hidden fm__begin_point\n"
        "fm__begin_point:\n"
        ".long begin_resume - fm__begin_point\n"
        ".long 0, 16, 4, 0\n" /* state, size, FM_POINT_TASK, info */
        ".size fm__begin_point, 20\n"
        ".popsection\n");

static inline void
begin_init(struct task *t)
{
    fm__task_init(t);
    t->record.point = &fm__begin_point;
}

static struct task *
begin_task(size_t bytes)
{
    struct task *t = fm__task_block_new(BEGIN_BYTES + bytes);

    if (unlikely(!t)) {
        fm__thread.starved = true;
        t = fm__task_block_starved(BEGIN_BYTES + bytes);
    }
    begin_init(t);
    return t;
}

/* `partial`: what the callee has written of a result through memory by the
 * time it suspends; it goes on in the slot, so the bytes must be there before
 * the leaf is armed. */
static void *
begin_leave(struct fm_root *r, void *p, size_t result_bytes,
            const void *partial)
{
    struct root *root = root_of(r);
    struct task *t;

    if (!p) {
        root_leave(root);
        return NULL;
    }
    t = begin_task(is_fault(p) ? 0 : result_bytes);
    if (is_fault(p)) {
        root_leave(root);
        fm__task_finish(t, p);
    } else {
        if (partial)
            memcpy((char *)&t->record + FM_ABI_RESULT, partial, result_bytes);
        ((struct fm_record *)p)->next = &t->record;
        root->task = t;
        if (!chain_yields(root, t))
            chain_suspended(root, t);
    }
    return &t->record;
}

/* The chain of a root that nothing runs outside of ends with a yield, and
 * nobody else is ready: it can as well go on at once. */
static inline bool
may_go_on(const struct root *root, const void *p)
{
    struct thread *th = &fm__thread;
    fm_executor *ex = th->executor;

    return p && !is_fault(p) && root->state == 0 && !root->outer &&
           !th->in_job && likely(!th->context) &&
           likely(ex && ex->ready && ex->vtable->drive) &&
           likely(!ex->ready->first) && likely(th->unlooked < UNLOOKED_MAX);
}

void *
fm_abi_begin_leave(struct fm_root *r, void *p, size_t result_bytes)
{
    return begin_leave(r, p, result_bytes, NULL);
}

void *
fm_abi_begin_leave_memory(struct fm_root *r, void *p, size_t result_bytes,
                          const void *partial)
{
    return begin_leave(r, p, result_bytes, partial);
}

void *
fm_abi_wait_leave(struct fm_root *r, void *p, size_t result_bytes)
{
    struct root *root = root_of(r);
    struct task *t;
    void *handle;

    if (may_go_on(root, p) &&
        (t = fm__task_block_new(BEGIN_BYTES + result_bytes))) {
        begin_init(t);
        ((struct fm_record *)p)->next = &t->record;
        task_save(t, root->leaf.next);
        fm__store(&t->executor, fm__thread.executor->id);
        t->wait = 0;
        root_leave(root);
        fm__chain_goes_on(t);
        handle = &t->record;
    } else {
        handle = begin_leave(r, p, result_bytes, NULL);
    }
    if (handle)
        fm_abi_wait(handle);
    return handle;
}

void *
fm_abi_wait_leave_memory(struct fm_root *r, void *p, size_t result_bytes,
                         const void *partial)
{
    void *handle = begin_leave(r, p, result_bytes, partial);

    if (handle)
        fm_abi_wait(handle);
    return handle;
}

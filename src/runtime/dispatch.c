/* dispatch.c: FRONT DOOR. Roots, and the loop that resumes a chain.
 *
 * The loop is flat: resume the head; if it ended, its result already lies in
 * the next record's slot; go on with the next. If it suspended again, the new
 * chain is complete, as every frame has linked itself: only then is the leaf
 * armed. So nothing can resume a chain that is still being built, and a chain
 * of a million frames resumes in constant stack. A task that ends hands the
 * loop to its first waiter. */
#include <string.h>

#include "runtime/entry.h"

#include <string.h>

/* ---- roots ------------------------------------------------------------------ */

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
    root->own = root->poor = false;
    th->root = root;
}

static void
root_leave(struct root *root)
{
    struct thread *th = &fm__thread;

    th->root = root->outer;
    th->context = root->outer_context;
}

/* ---- the ready queue ------------------------------------------------------------ */

/* What a job may still take from its executor's queue. Anywhere else than
 * straight under the executor: nothing. */
struct turn {
    fm_ready *queue;
    uint32_t left;
};

/* The next job, if it is a task that may simply go on here: the executor then
 * does not see it again. */
static inline struct task *
ready_take(struct turn *turn)
{
    fm_ready *q = turn->queue;
    fm_job *job;
    struct task *t;

    if (!turn->left || !(job = q->first) || !job_is_task(job))
        return NULL;
    t = task_of_job(job);
    if (unlikely(fm__load_acquire(&t->sync) & SYNC_CLAIMED))
        return NULL;
    turn->left--;
    fm__thread.budget = BUDGET;
    if (!(q->first = job->next))
        q->last = &q->first;
    return t;
}

/* A yield with nobody else in the queue goes on at once; so do the ambient
 * list and what the root holds of it. */
static inline bool
yield_goes_on(const struct root *root, struct turn *turn)
{
    if (root->kind != LEAF_YIELD || !turn->left || turn->queue->first)
        return false;
    turn->left--;
    return true;
}

/* A yield behind others: what fm__chain_arm does, without the call. */
static inline bool
yield_queues(struct root *root, struct task *t, struct turn *turn)
{
    struct thread *th = &fm__thread;

    if (root->kind != LEAF_YIELD || !turn->queue || !context_is_empty(root))
        return false;
    t->job.run = (void (*)(fm_job *))((uintptr_t)root->leaf.next + JOB_TASK);
    t->executor = th->executor->id;
    t->error = (uint8_t)*th->error;
    t->wait = root->own ? HELD_OWN : 0;
    ready_append(turn->queue, &t->job);
    return true;
}

/* ---- the loop --------------------------------------------------------------------- */

/* Frees the frames that have no handler, from head on. Returns the first one
 * that has; null: there is none, the task's own record included. */
static struct fm_record *
skip_to_handler(struct fm_record *head, void **fault)
{
    fm_fault *f = fm__fault_goes_on(fault_untag(*fault));

    *fault = fault_tag(f);
    for (;;) {
        const struct fm_point *p = head->point;
        struct fm_record *next = head->next;

        fault_note(f, p);
        if (p->flags & (FM_POINT_HANDLER | FM_POINT_TASK))
            return p->flags & FM_POINT_HANDLER ? head : NULL;
        record_give(head, p->size);
        head = next;
    }
}

/* The reserve was used: what suspended is not armed. Null: a wait that may be
 * given up is given up, so that who waits can undo what it began. */
__attribute__((noinline, cold)) static void *
starve(struct root *root)
{
    struct fm_record *head = root->leaf.next;

    fm__thread.starved = false;
    fm__reserve_refill();
    if (root->watch)
        fm__watch_free(root->watch);
    root->watch = NULL;
    if (root->kind == LEAF_UNTIL) {
        *((uint8_t *)head + FM_ABI_RESULT) = false;
        fm__wait_poor(root);
        return NULL;
    }
    if (root->kind == LEAF_JOIN)
        fm__task_release(root->target);
    return fm_abi_enomem();
}

/* A resume function has no C type that a sanitizer could compare. */
__attribute__((no_sanitize("function"))) static inline void *
resume(struct fm_record *head, const struct fm_point *p, void *fault)
{
    return point_resume(p)(head, fault);
}

enum way { GOES_ON, SUSPENDS, ENDS };

/* Takes a fault through the chain from *head on (null: its end was reached)
 * until a handler has dealt with it, or to the end with what is then the
 * fault. */
__attribute__((noinline)) static enum way
run_fault(struct fm_record **head, void **fault)
{
    for (;;) {
        struct fm_record *at = *head ? skip_to_handler(*head, fault) : NULL;
        const struct fm_point *p;
        void *end;

        *head = at;
        if (!at)
            return ENDS;
        p = at->point;
        end = resume(at, p, *fault);
        if (end && !is_fault(end))
            return SUSPENDS;
        *fault = end;
        if (p->flags & FM_POINT_TASK)
            return ENDS;
        *head = at->next;
        record_give(at, p->size);
        if (!end)
            return GOES_ON;
    }
}

__attribute__((noinline)) static struct fm_record *
frame_ends_slow(struct fm_record *head, const struct fm_point *p)
{
    struct fm_record *next = head->next;

    if (p->flags & FM_POINT_TASK)
        return NULL;
    record_give(head, p->size);
    return next;
}

/* A frame has ended: frees it and goes to the next one. False: it was the
 * last. One look at size and flags together, as they lie side by side: a
 * large record, or any flag, is the rare case. */
static inline bool
frame_ends(struct fm_record **head, const struct fm_point *p)
{
    struct fm_record *at = *head;
    uint64_t what;

    _Static_assert(offsetof(struct fm_point, flags) ==
                       offsetof(struct fm_point, size) + 4,
                   "side by side");
    memcpy(&what, &p->size, sizeof what);
    if (unlikely(what > FM_ABI_FREE_MAX)) {
        *head = frame_ends_slow(at, p);
        return *head != NULL;
    }
    *head = at->next;
    record_give(at, p->size);
    return true;
}

/* Resumes t's chain from its head. Returns the task to go on with, or null.
 * The faulted way has variables of its own: their addresses are taken. */
static inline __attribute__((always_inline)) struct task *
run(struct root *root, struct task *t, void *fault, struct turn *turn)
{
    struct fm_record *head = task_head(t), *at;
    void *end, *f = fault;

    at = head;
    if (unlikely(f != NULL))
        goto faulted;
    for (;;) {
        const struct fm_point *p = head->point;

        while (likely(!(end = resume(head, p, NULL)))) {
            if (!frame_ends(&head, p))
                return task_finish(t, NULL);
            p = head->point;
        }
        if (unlikely(is_fault(end))) {
            f = end;
            at = frame_ends_slow(head, p);
            goto faulted;
        }
    suspended:
        if (unlikely(fm__thread.starved)) {
            f = starve(root);
            head = at = root->leaf.next;
            if (!f)
                continue;
            goto faulted;
        }
        if (!yield_goes_on(root, turn))
            break;
        head = root->leaf.next;
        continue;
    faulted:
        switch (run_fault(&at, &f)) {
        case GOES_ON:
            head = at;
            continue;
        case SUSPENDS:
            goto suspended;
        case ENDS:
            return fm__task_finish(t, f);
        }
    }
    if (!yield_queues(root, t, turn))
        fm__chain_arm(root, t);
    return NULL;
}

/* How the wait of t ended: its context is installed, the fault returned. */
__attribute__((noinline)) static void *
wait_outcome_slow(struct root *root, struct task *t)
{
    struct thread *th = &fm__thread;
    uintptr_t wait = t->wait;
    void *p = (void *)(wait & ~(uintptr_t)HELD_BITS);
    bool given_up = (fm__load(&t->sync) & SYNC_CLAIMED) != 0;
    uintptr_t kind = wait & HELD_KIND;
    struct task *awaited = p;
    bool joins = kind == HELD_JOIN;

    root->own = (wait & HELD_OWN) != 0;
    th->context = kind == HELD_CONTEXT ? p : NULL;
    if (kind == HELD_WATCH) {
        struct watch *w = p;
        th->context = w->context;
        awaited = w->kind == LEAF_UNTIL ? NULL : w->awaited;
        joins = w->kind == LEAF_JOIN;
        if (!awaited)
            *((uint8_t *)task_head(t) + FM_ABI_RESULT) = !given_up;
        fm__watch_free(w);
    }
    root->held = th->context;
    if (kind == HELD_CONTEXT)
        return NULL;
    if (fm__load(&t->sync) & SYNC_WAIT)
        fm__clear(&t->sync, SYNC_WAIT);
    if (!awaited)
        return NULL;
    if (given_up) {
        if (joins)
            fm__task_release(awaited);
        return fault_tag(fm__cancel_fault());
    }
    if (unlikely(task_state(awaited) != FM_DONE))
        return fm__task_raise(awaited, joins);
    return NULL;
}

/* A wait of fm_suspend_until under no ambient list: true = that it was. */
static inline bool
until_outcome(struct task *t)
{
    struct watch *w = (void *)(t->wait & ~(uintptr_t)HELD_BITS);
    uint8_t s = fm__load(&t->sync);

    if ((t->wait & HELD_BITS) != HELD_WATCH || w->context ||
        w->kind != LEAF_UNTIL)
        return false;
    *((uint8_t *)task_head(t) + FM_ABI_RESULT) = !(s & SYNC_CLAIMED);
    if (unlikely(s & SYNC_WAIT))
        fm__clear(&t->sync, SYNC_WAIT);
    record_give(w, sizeof *w);
    return true;
}

static inline void *
wait_outcome(struct root *root, struct task *t)
{
    root->watch = NULL;
    root->task = t;
    if (t->wait != 0 && !likely(until_outcome(t)))
        return wait_outcome_slow(root, t);
    root->own = false;
    root->held = NULL;
    fm__thread.context = NULL;
    return NULL;
}

static inline __attribute__((always_inline)) void
run_chains(struct task *t, void *fault, bool poor, struct turn turn)
{
    struct thread *th = &fm__thread;
    struct root root;
    int error = *th->error;

    root.outer = th->root;
    root.outer_context = th->context;
    th->root = &root;
    th->nested++;
    do {
        void *outcome = wait_outcome(&root, t);
        root.poor = poor;
        *th->error = t->error;
        t = run(&root, t, fault ? fault : outcome, &turn);
        if (unlikely(root.held != NULL))
            fm__scope_release(root.held);
        fault = NULL;
        poor = false;
        if (!t)
            t = ready_take(&turn);
    } while (t);
    if (turn.queue)
        turn.queue->taken += TURN - turn.left;
    th->nested--;
    root_leave(&root);
    *th->error = error;
}

void
fm__resume_chain(struct task *t)
{
    run_chains(t, NULL, false, (struct turn){NULL, 0});
}

/* Without a fault: the wait was given up for want of memory. */
__attribute__((noinline)) static void
fail_chain(struct task *t, void *fault)
{
    fm__thread_start();
    run_chains(t, fault, !fault, (struct turn){NULL, 0});
}

/* ---- from ramp to task --------------------------------------------------------------- */

static void
chain_suspended(struct root *root, struct task *t)
{
    if (unlikely(fm__thread.starved)) {
        void *fault = starve(root);
        t->job.run =
            (void (*)(fm_job *))((uintptr_t)root->leaf.next + JOB_TASK);
        t->wait =
            (uintptr_t)fm__context_keep(root) | (root->own ? HELD_OWN : 0);
        t->error = (uint8_t)*fm__thread.error;
        root_leave(root);
        fail_chain(t, fault);
        return;
    }
    fm__chain_arm(root, t);
    root_leave(root);
}

void
fm_abi_start_leave(struct fm_root *r, void *p)
{
    struct root *root = root_of(r);
    struct task *t = root->task;
    struct task *next;

    if (p && !is_fault(p)) {
        chain_suspended(root, t);
        return;
    }
    root_leave(root);
    next = task_finish(t, p);
    if (unlikely(next != NULL))
        fm__resume_chain(next);
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

static struct task *
begin_task(size_t bytes)
{
    struct task *t = fm__task_block_new(BEGIN_BYTES + bytes);

    if (unlikely(!t)) {
        fm__thread.starved = true;
        t = fm__task_block_starved(BEGIN_BYTES + bytes);
    }
    fm__task_init(t);
    t->record.point = &fm__begin_point;
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
        chain_suspended(root, t);
    }
    return &t->record;
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

/* ---- wakes ------------------------------------------------------------------------------ */

bool
fm__wait_end_slow(struct task *t)
{
    uint8_t s = fm__load_acquire(&t->sync);

    for (;;) {
        if (!(s & (SYNC_ARMED | SYNC_ARMING)))
            return true;
        if (s & (SYNC_CLAIMED | SYNC_ARMING)) {
            if (fm__cas8(&t->sync, &s, s | SYNC_DONE))
                return false;
        } else if (fm__cas8(&t->sync, &s, s & ~SYNC_ARMED)) {
            return true;
        }
    }
}

bool
fm__may_run_here(struct task *t)
{
    struct thread *th = &fm__thread;
    fm_executor *ex = task_executor(t);

    if (th->arming || th->nested >= NESTED_MAX)
        return false;
    if (likely(ex == th->executor))
        return true;
    return th->executor != NULL && (t->wait & HELD_KIND) != HELD_WATCH &&
           (task_head(t)->point->flags & FM_POINT_ANYWHERE) != 0;
}

void
fm__task_post(struct task *t)
{
    fm_executor *ex = task_executor(t);

    ex->vtable->post(ex->arg, &t->job);
}

void
fm__task_wake(struct task *t)
{
    fm_executor *ex = task_executor(t);
    struct thread *th = &fm__thread;
    fm_executor *here = th->executor;

    if (likely(ex == here) && likely(!th->arming) &&
        likely(th->nested < NESTED_MAX)) {
        fm__resume_chain(t);
    } else if (fm__may_run_here(t)) {
        fm__resume_chain(t); /* anywhere */
    } else if (ex != here && !th->arming && th->nested < NESTED_MAX &&
               ex->vtable->is_current && ex->vtable->is_current(ex->arg)) {
        fm__thread_start();
        th->executor = ex;
        fm__resume_chain(t);
        th->executor = here;
    } else {
        ex->vtable->post(ex->arg, &t->job);
    }
}

void
fm_resume(fm_waiter *waiter)
{
    struct task *t = (struct task *)(void *)waiter;

    struct thread *th = &fm__thread;

    if (unlikely(!fm__wait_end(t)))
        return;
    if (likely(task_executor(t) == th->executor) && likely(!th->arming) &&
        likely(th->nested < NESTED_MAX))
        fm__resume_chain(t);
    else
        fm__task_wake(t);
}

void
fm_resume_later(fm_waiter *waiter)
{
    struct task *t = (struct task *)(void *)waiter;

    if (fm__wait_end(t))
        fm__task_post(t);
}

/* A task's job: it and those behind it in the executor's queue. Inside
 * another job, or another chain, only it. */
static void
job_run_task(struct task *t)
{
    struct thread *th = &fm__thread;
    struct turn turn;

    fm__thread_start();
    th->budget = BUDGET;
    turn.queue = th->nested ? NULL : th->executor->ready;
    turn.left = turn.queue ? TURN : 0;
    run_chains(t, NULL, false, turn);
}

void
fm_job_run(fm_job *job)
{
    struct thread *th = &fm__thread;
    fm_executor *executor = th->executor;
    bool in_job = th->in_job;
    struct task *t;

    th->in_job = true;
    th->worked = true;
    if (likely(job_is_task(job))) {
        t = task_of_job(job);
        th->executor = task_executor(t);
        if (likely(!(fm__load_acquire(&t->sync) & SYNC_CLAIMED)) ||
            fm__claim_settle(t))
            job_run_task(t);
    } else {
        job->run(job);
    }
    th->executor = executor;
    th->in_job = in_job;
}

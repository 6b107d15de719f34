/* dispatch.c: FRONT DOOR. Roots, and the loop that resumes a chain.
 *
 * The loop is flat: resume the head; if it ended, its result already lies in
 * the next record's slot; go on with the next. If it suspended again, the new
 * chain is complete, as every frame has linked itself: only then is the leaf
 * armed. So nothing can resume a chain that is still being built, and a chain
 * of a million frames resumes in constant stack. A task that ends hands the
 * loop to its first waiter. */
#include <string.h>

#include "runtime/roots.h"

/* ---- the ready queue ------------------------------------------------------------ */

/* The next job, if it is a task that may simply go on here: the executor then
 * does not see it again. */
static inline __attribute__((always_inline)) struct task *
ready_take(struct root *root, fm_ready *q)
{
    fm_job *job;
    struct task *t;

    if (!root->turns || !(job = q->first) || !job_is_task(job))
        return NULL;
    t = task_of_job(job);
    if (unlikely(fm__load_acquire(&t->sync) & SYNC_CLAIMED))
        return NULL;
    root->turns--;
    fm__thread.budget = BUDGET;
    if (!(q->first = job->next))
        q->last = &q->first;
    return t;
}

/* A yield under no ambient list that needs nobody to look around: it costs a
 * turn. A chain that is resumed borrows no list. */
static inline bool
turn_take(struct root *root, struct task *t)
{
    if (root->wish != 0 || unlikely(root->held != NULL) ||
        unlikely(fm__load(&t->sync) & SYNC_CANCEL))
        return false;
    if (unlikely(root->turns-- == 0)) {
        root->turns = 0;
        return false;
    }
    return true;
}

/* t yields behind a task that waits for nothing but its turn, with the same
 * executor and errno, no ambient list and no flag: they change places. */
static inline __attribute__((always_inline)) bool
yield_swaps(struct root *root, struct task *t, fm_ready *queue)
{
    struct thread *th = &fm__thread;
    fm_job *first = queue->first;
    struct task *other = task_of_job(first);

    if (unlikely(!job_is_task(first)) ||
        unlikely(t->error != (uint8_t)*th->error) ||
        unlikely(fm__load_acquire(&other->kept) != fm__load(&t->kept)) ||
        unlikely(other->wait != 0))
        return false;
    t->wait = 0;
    task_save_head(t, root->leaf.next);
    ready_append(queue, &t->job);
    queue->first = first->next;
    th->budget = BUDGET;
    fm__audit_run(other);
    root->task = other;
    return true;
}

/* ---- the loop --------------------------------------------------------------------- */

/* Frees the frames that have no handler, from head on. Returns the first one
 * that has; null: there is none, the task's own record included. */
static struct fm_record *
skip_to_handler(struct fm_record *head, void **fault)
{
    fm_fault *f = fault_goes_on(fault_untag(*fault));

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

__attribute__((noinline, cold)) void *
fm__root_starves(struct root *root)
{
    struct fm_record *head = root->leaf.next;
    enum leaf kind = root->kind;

    fm__thread.starved = root->starved = false;
    fm__reserve_refill();
    root->kind = LEAF_YIELD;
    if (kind >= LEAF_UNTIL && root->watch)
        fm__watch_free(root->watch);
    if (kind == LEAF_PLACE)
        root->place->disarm((fm_waiter *)root->task, root->place);
    if (kind == LEAF_UNTIL) {
        *((uint8_t *)head + FM_ABI_RESULT) = false;
        fm__wait_poor(root);
        return NULL;
    }
    if (kind == LEAF_JOIN)
        fm__task_release(root->target);
    return fm_abi_enomem();
}

/* A resume function has no C type that a sanitizer could compare. */
__attribute__((no_sanitize("function"))) static inline void *
resume(struct fm_record *head, const struct fm_point *p, void *fault)
{
    return point_resume(p)(head, fault);
}

/* Where a fault left the chain: at `head`, which goes on; suspended again
 * (head is SUSPENDED); or at its end (null) with what is then the fault. */
struct faulted {
    struct fm_record *head;
    void *fault;
};
#define SUSPENDED ((struct fm_record *)(uintptr_t)FM_ABI_FAULT_BIT)

/* Takes a fault through the chain from head on (null: its end was reached)
 * until a handler has dealt with it. */
__attribute__((noinline)) static struct faulted
run_fault(struct fm_record *head, void *fault)
{
    for (;;) {
        struct fm_record *next;
        const struct fm_point *p;

        head = head ? skip_to_handler(head, &fault) : NULL;
        if (!head)
            return (struct faulted){NULL, fault};
        p = head->point;
        fault = resume(head, p, fault);
        if (fault && !is_fault(fault))
            return (struct faulted){SUSPENDED, NULL};
        if (p->flags & FM_POINT_TASK)
            return (struct faulted){NULL, fault};
        next = head->next;
        record_give(head, p->size);
        head = next;
        if (!fault)
            return (struct faulted){head, NULL};
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
 * large record, or any flag but that of the last, is the rare case. */
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
        if (p->flags & FM_POINT_TASK)
            return false;
        *head = frame_ends_slow(at, p);
        return true;
    }
    *head = at->next;
    record_give(at, p->size);
    return true;
}

/* A wait that can be disarmed, under no ambient list, was resumed. False: it
 * needs more than that. */
__attribute__((noinline)) static bool
watch_is_over(struct task *t, struct watch *w)
{
    const struct fm_abi_park *park = w->arg;
    uint8_t *value = (uint8_t *)task_head(t) + FM_ABI_RESULT;

    if (unlikely(w->context != NULL))
        return false;
    if (w->kind == LEAF_UNTIL)
        *value = true;
    else if (w->kind != LEAF_PARK || unlikely(park->fault != NULL))
        return false;
    else if (w->has_value)
        *value = park->value;
    record_give(w, w->bytes);
    return true;
}

/* The wait of t was given up by nobody, and under no ambient list. */
static inline __attribute__((always_inline)) bool
wait_is_over(struct task *t)
{
    void *p = (void *)(t->wait & ~(uintptr_t)HELD_BITS);
    uintptr_t kind = t->wait & HELD_BITS;

    if (unlikely(fm__load(&t->sync) & SYNC_WAIT))
        return false;
    if (wait_place(t->wait))
        return true;
    if (kind == HELD_WATCH)
        return watch_is_over(t, p);
    return (kind == HELD_JOIN || kind == HELD_TASK) &&
           likely(task_state(p) == FM_DONE);
}

/* The chain that ran is at an await of a task that runs too, under no ambient
 * list, in a process of one thread: armed here, as arm.c does. */
static inline __attribute__((always_inline)) bool
await_arms(struct root *root, struct task *t)
{
    struct task *target = root->target;
    uint8_t kind = root->kind;

    if (kind < LEAF_TASK || unlikely(root->watch != NULL) ||
        unlikely(!context_is_empty(root)) || unlikely(!fm__alone()) ||
        unlikely(fm__load(&target->word) != FM_RUNNING) ||
        unlikely(fm__load(&t->sync) & SYNC_CANCEL))
        return false;
    task_save(t, root->leaf.next);
    fm__store(&t->executor, fm__thread.executor->id);
    t->wait = (uintptr_t)target | (kind - LEAF_TASK + HELD_TASK);
    fm__store(&t->sync, (uint8_t)(fm__load(&t->sync) | SYNC_ARMED));
    t->job.next = NULL;
    fm__store(&target->word, (uintptr_t)&t->job);
    return true;
}

/* The same for a wait at a place. */
static inline bool
place_arms(struct root *root, struct task *t)
{
    if (root->kind != LEAF_PLACE || unlikely(root->held != NULL))
        return false;
    task_save(t, root->leaf.next);
    fm__store(&t->executor, fm__thread.executor->id);
    arm_place(root, t);
    return true;
}

/* The root, under no ambient list, goes on with t, which brings none. */
static inline void
root_turn(struct root *root, struct task *t)
{
    fm__audit_run(t);
    root->wish = 0;
    root->task = t;
    *fm__thread.error = t->error;
}

/* The next of the queue, if there is nothing to do for it but to go on. Else
 * *next is it, or null. */
static inline __attribute__((always_inline)) bool
root_takes(struct root *root, fm_ready *queue, struct task **next)
{
    struct task *t = *next = ready_take(root, queue);

    if (!t || unlikely(!context_is_empty(root)) ||
        (t->wait != 0 && !wait_is_over(t)))
        return false;
    root_turn(root, t);
    return true;
}

/* t ends well, and all that is to be done for it is to go on here with the
 * only one who awaits it, under no ambient list. Returns that one, or null:
 * then nothing was done. */
static inline __attribute__((always_inline)) struct task *
end_turns(struct root *root, struct task *t)
{
    uintptr_t word = fm__load(&t->word);
    struct task *w;

    if (!word || (word & WORD_BITS) || unlikely(!fm__alone()) ||
        unlikely((fm__load(&t->counts) & COUNTS_PLAIN) != 2))
        return NULL;
    w = task_of_job((fm_job *)word);
    if (unlikely(!job_is_task(&w->job)) ||
        w->wait - (uintptr_t)t - HELD_TASK > HELD_JOIN - HELD_TASK ||
        unlikely(w->job.next != NULL) ||
        unlikely(fm__load(&w->sync) != SYNC_ARMED) ||
        unlikely(fm__load(&w->executor) != fm__thread.executor->id) ||
        unlikely(!context_is_empty(root)))
        return NULL;
    fm__store(&w->sync, 0);
    fm__store(&t->word, FM_DONE);
    fm__store(&t->counts, 1);
    root_turn(root, w);
    return w;
}

/* Resumes t's chain from its head, and others that take its place. Returns the
 * task to go on with, or null. */
static inline __attribute__((always_inline)) struct task *
run(struct root *root, struct task *t, void *fault, fm_ready *queue, bool turns)
{
    struct fm_record *head = task_head(t);
    struct faulted f;
    struct task *next;
    void *end;

    if (unlikely(fault != NULL))
        goto faulted;
    for (;;) {
        const struct fm_point *p = head->point;

        end = resume(head, p, NULL);
        if (likely(!end)) {
            if (likely(frame_ends(&head, p)))
                continue;
            if (!turns || !(next = end_turns(root, t)))
                return task_finish(t, NULL);
            t = next;
            head = task_head(t);
            continue;
        }
        if (unlikely(is_fault(end))) {
            fault = end;
            head = frame_ends_slow(head, p);
            goto faulted;
        }
    suspended:
        head = root->leaf.next;
        if (turns && likely(turn_take(root, t))) {
            if (likely(!queue->first))
                continue;
            if (likely(yield_swaps(root, t, queue))) {
                t = root->task;
                head = task_head(t);
                continue;
            }
        } else if (root->kind != LEAF_YIELD && likely(!fm__thread.starved)) {
            if (!turns || !(place_arms(root, t) || await_arms(root, t)))
                break;
            if (!root_takes(root, queue, &t))
                return t;
            head = task_head(t);
            continue;
        }
        if (unlikely(fm__thread.starved)) {
            if (!(fault = fm__root_starves(root)))
                continue;
        } else if (fm__cancel_pending()) {
            fault = fault_tag(fm__cancel_fault());
        } else {
            break;
        }
    faulted:
        f = run_fault(head, fault);
        if (f.head == SUSPENDED)
            goto suspended;
        if (!f.head)
            return fm__task_finish(t, f.fault);
        head = f.head;
    }
    chain_arm(root, t, fm__thread.executor);
    return NULL;
}

/* How a wait of LEAF_PARK ended: what is to be raised, or null. */
static void *
park_outcome(struct watch *w, bool given_up, struct fm_record *head)
{
    const struct fm_abi_park *park = w->arg;
    const struct fm_abi_fault *f = given_up ? NULL : park->fault;
    fm_fault *fault = NULL;

    if (given_up)
        fault = fm__cancel_fault();
    else if (f)
        fault = fm_abi_fault_plain(f->code, f->function, NULL, 0, f->text);
    else if (w->has_value)
        *((uint8_t *)head + FM_ABI_RESULT) = park->value;
    return fault ? fault_tag(fault) : NULL;
}

/* How a wait at a place ended that somebody claimed. */
static void *
place_outcome(struct root *root, struct task *t)
{
    bool given_up = (fm__load(&t->sync) & SYNC_CLAIMED) != 0;

    root->own = false;
    root->held = NULL;
    fm__thread.context = NULL;
    fm__clear(&t->sync, SYNC_WAIT);
    return given_up ? fault_tag(fm__cancel_fault()) : NULL;
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
    void *fault = NULL;

    if (wait_place(wait))
        return place_outcome(root, t);
    root->own = (wait & HELD_OWN) != 0;
    th->context = kind == HELD_CONTEXT ? p : NULL;
    if (kind == HELD_WATCH) {
        struct watch *w = p;
        th->context = w->context;
        awaited = watch_disarms(w) ? NULL : w->awaited;
        joins = w->kind == LEAF_JOIN;
        if (w->kind == LEAF_UNTIL)
            *((uint8_t *)task_head(t) + FM_ABI_RESULT) = !given_up;
        else if (w->kind == LEAF_PARK)
            fault = park_outcome(w, given_up, task_head(t));
        fm__watch_free(w);
    }
    root->held = th->context;
    if (kind == HELD_CONTEXT)
        return NULL;
    if (fm__load(&t->sync) & SYNC_WAIT)
        fm__clear(&t->sync, SYNC_WAIT);
    if (!awaited)
        return fault;
    if (given_up) {
        if (joins)
            fm__task_release(awaited);
        return fault_tag(fm__cancel_fault());
    }
    if (unlikely(task_state(awaited) != FM_DONE))
        return fm__task_raise(awaited, joins);
    return NULL;
}

static inline __attribute__((always_inline)) void *
wait_outcome(struct root *root, struct task *t)
{
    root->kind = LEAF_YIELD;
    root->task = t;
    if (t->wait != 0 && unlikely(!wait_is_over(t)))
        return wait_outcome_slow(root, t);
    root->own = false;
    root->held = NULL;
    fm__thread.context = NULL;
    return NULL;
}

/* `queue`: from where chains are taken when one has ended or suspended; null,
 * as where `turns` says so from the outset: that is not for this call to do. */
static inline __attribute__((always_inline)) void
run_chains(struct task *t, void *fault, bool poor, fm_ready *queue, bool turns)
{
    struct thread *th = &fm__thread;
    struct root root;
    int error = *th->error;

    root.outer = th->root;
    root.outer_context = th->context;
    root.wish = 0;
    root.turns = queue ? TURN : 0;
    th->root = &root;
    th->nested++;
    do {
        void *outcome;

        fm__audit_run(t);
        root.poor = poor;
        outcome = wait_outcome(&root, t);
        *th->error = t->error;
        t = run(&root, t, fault ? fault : outcome, queue, turns);
        if (unlikely(root.held != NULL))
            fm__scope_release(root.held);
        fault = NULL;
        poor = false;
        if (!t && turns)
            t = ready_take(&root, queue);
    } while (t);
    if (queue)
        queue->taken += TURN - root.turns;
    th->nested--;
    root_leave(&root);
    *th->error = error;
}

void
fm__resume_chain(struct task *t)
{
    run_chains(t, NULL, false, NULL, false);
}

/* Without a fault: the wait was given up for want of memory. */
__attribute__((noinline, cold)) void
fm__fail_chain(struct task *t, void *fault)
{
    fm__executor_here();
    run_chains(t, fault, !fault, NULL, false);
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
        } else if (fm__cas8(&t->sync, &s, s & ~(SYNC_ARMED | SYNC_SHIELD))) {
            return true;
        }
    }
}

/* It is to go on here, though its executor is another one. */
static bool
comes_here(struct task *t)
{
    fm_executor *here = fm__thread.executor;

    if (!here || (t->wait & HELD_KIND) == HELD_WATCH || wait_place(t->wait) ||
        !(task_head(t)->point->flags & FM_POINT_ANYWHERE))
        return false;
    lock_take(&fm__locks[LOCK_ANYWHERE]); /* see chain_read */
    fm__store(&t->executor, here->id);
    lock_give(&fm__locks[LOCK_ANYWHERE]);
    return true;
}

bool
fm__may_run_here(struct task *t)
{
    struct thread *th = &fm__thread;

    if (th->nested >= NESTED_MAX)
        return false;
    return likely(task_executor(t) == th->executor) || comes_here(t);
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

    if (fm__may_run_here(t)) {
        fm__resume_chain(t);
    } else if (ex != here && th->nested < NESTED_MAX &&
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

    fm__audit_resume(t, "fm_resume");
    if (unlikely(!fm__wait_end(t)))
        return;
    if (likely(task_executor(t) == th->executor) &&
        likely(th->nested < NESTED_MAX))
        fm__resume_chain(t);
    else
        fm__task_wake(t);
}

/* This thread's own queue, if t's job belongs there. */
static inline fm_ready *
ready_of(struct task *t)
{
    fm_executor *here = fm__thread.executor;

    return likely(here != NULL) && likely(fm__load(&t->executor) == here->id)
               ? here->ready
               : NULL;
}

__attribute__((noinline)) static void
resume_later_slow(struct task *t)
{
    fm_ready *ready;

    if (!fm__wait_end_slow(t))
        return;
    ready = ready_of(t);
    if (ready)
        ready_append(ready, &t->job);
    else
        fm__task_post(t);
}

/* The queue is found by the thread, not by the task: so the processor knows
 * early where it writes. */
void
fm_resume_later(fm_waiter *waiter)
{
    struct task *t = (struct task *)(void *)waiter;
    uint8_t s = fm__load_acquire(&t->sync);
    fm_ready *ready = ready_of(t);

    fm__audit_resume(t, "fm_resume_later");
    if (unlikely(!ready) || unlikely(!fm__alone()) ||
        unlikely(s & (SYNC_CLAIMED | SYNC_ARMING))) {
        resume_later_slow(t);
        return;
    }
    fm__store(&t->sync, (uint8_t)(s & ~(SYNC_ARMED | SYNC_SHIELD)));
    ready_append(ready, &t->job);
}

void
fm_abi_place_end(fm_waiter *waiter, bool value)
{
    struct task *t = (struct task *)(void *)waiter;

    *((uint8_t *)task_head(t) + FM_ABI_RESULT) = value;
}

/* A task's job: it and those behind it in the executor's queue. Inside
 * another job, or another chain, only it. */
static void
job_run_task(struct task *t)
{
    struct thread *th = &fm__thread;

    if (unlikely(!th->started))
        fm__thread_start();
    th->budget = BUDGET - fm__shuffle(BUDGET);
    run_chains(t, NULL, false, th->nested ? NULL : th->executor->ready, true);
}

void
fm__chain_goes_on(struct task *t)
{
    struct thread *th = &fm__thread;

    th->unlooked++;
    th->in_job = true;
    th->worked = true;
    job_run_task(t);
    th->in_job = false;
    fm__audit_turn();
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
    fm__audit_turn();
}

/* task.c: the end of a chain, and those who wait for it.
 *
 * Gives: references, states, the list of waiters, the awaits of a task. One
 * word has the state and the waiters; whoever ends the task takes the whole
 * list by one exchange, so a waiter is woken once. A waiter that gives up is
 * taken off under the word's lock bit. */
#include "runtime/audit.h"
#include "runtime/entry.h"
#include "runtime/slab.h"

/* ---- life ------------------------------------------------------------------ */

void *
fm_abi_task_new(size_t record_bytes)
{
    struct task *t = fm__task_block_new(record_bytes);

    if (unlikely(!t))
        return NULL;
    fm__task_init(t);
    return &t->record;
}

static fm_unobserved_hook *_Atomic unobserved;

void
fm_on_unobserved(fm_unobserved_hook *hook)
{
    atomic_store(&unobserved, hook);
}

__attribute__((noinline)) static void
task_drop_fault(struct task *t, enum fm_status state)
{
    fm_fault *f = task_fault(t);
    fm_unobserved_hook *hook;

    if (f && state == FM_FAULTED && !(fm__load(&t->sync) & SYNC_OBSERVED)) {
        hook = atomic_load(&unobserved);
        if (hook) {
            fm__store(&t->refs, 1); /* the hook may look at the task */
            hook(task_handle(t), f);
        } else {
            fm__fault_print("fermata: nobody observed", f);
        }
    }
    fm_fault_release(f);
}

void
fm__task_release(struct task *t)
{
    enum fm_status state;

    if ((fm__sub(&t->refs, 1) & ~REFS_SOURCE) != 1)
        return;
    state = task_state(t);
    check(state != FM_RUNNING);
    if (unlikely(state != FM_DONE))
        task_drop_fault(t, state);
    if (unlikely(fm__load(&t->sync) & SYNC_NAMED))
        fm_abi_task_name(task_handle(t), NULL);
    fm__store(&t->refs, 0);
    fm__task_block_free(t);
}

fm_task *
fm_abi_retain(fm_task *t)
{
    if (!t)
        return NULL;
    fm__audit_task(task_of(t), "fm_retain");
    fm__add(&task_of(t)->refs, 1);
    return t;
}

void
fm_abi_release(fm_task *t)
{
    struct task *at;

    if (unlikely(!t))
        return;
    at = task_of(t);
    fm__audit_task(at, "fm_release");
    /* One thread, the last handle of a task that ended well, no flags. */
    if (likely(fm__alone()) && likely(fm__load(&at->counts) == 1) &&
        likely(fm__load(&at->word) == FM_DONE)) {
        fm__store(&at->counts, 0);
        task_block_give(at);
        return;
    }
    fm__task_release(at);
}

/* Of one that has ended well: its value was read. */
void
fm_abi_join_end(fm_task *t)
{
    fm_abi_release(t);
}

void
fm_abi_auto_release(void *handle_variable)
{
    fm_abi_release(*(fm_task **)handle_variable);
}

enum fm_status
fm_abi_status(fm_task *t)
{
    fm__audit_task(task_of(t), "fm_status");
    return task_state(task_of(t));
}

/* ---- the word ---------------------------------------------------------------- */

/* Takes the lock bit; returns the word without it. */
static uintptr_t
word_lock(struct task *t)
{
    uintptr_t old = fm__load(&t->word);

    for (;;) {
        old &= ~(uintptr_t)WORD_LOCK;
        if (fm__cas(&t->word, &old, old | WORD_LOCK))
            return old;
        if (old & WORD_LOCK)
            fm__sys_yield_thread();
    }
}

bool
fm__task_listen(struct task *t, fm_job *node)
{
    uintptr_t old = fm__load_acquire(&t->word);

    for (;;) {
        if (old & WORD_STATE)
            return false;
        old &= ~(uintptr_t)WORD_LOCK;
        node->next = (fm_job *)old;
        if (fm__cas(&t->word, &old, (uintptr_t)node))
            return true; /* released to fm__task_finish */
        if (old & WORD_LOCK)
            fm__sys_yield_thread();
    }
}

bool
fm__task_unlisten(struct task *t, fm_job *node)
{
    uintptr_t word = word_lock(t);
    fm_job *list = word & WORD_STATE ? NULL : (fm_job *)word;
    bool found = false;

    if (list == node) {
        word = (uintptr_t)node->next;
        found = true;
    }
    for (fm_job *j = list; j && !found; j = j->next)
        if (j->next == node) {
            j->next = node->next;
            found = true;
        }
    fm__store_release(&t->word, word); /* gives the lock back */
    return found;
}

/* Publishes the state; returns the waiters, oldest first. */
static fm_job *
word_finish(struct task *t, enum fm_status state)
{
    uintptr_t old = fm__load(&t->word);
    fm_job *first = NULL;

    do {
        if (old & WORD_LOCK) {
            fm__sys_yield_thread();
            old &= ~(uintptr_t)WORD_LOCK;
        }
    } while (!fm__cas(&t->word, &old, state));
    for (fm_job *j = (fm_job *)old, *next; j; j = next) {
        next = j->next;
        j->next = first;
        first = j;
    }
    return first;
}

/* Runs the nodes of those who wait. The first task that may run here is
 * returned; the others are posted. */
__attribute__((noinline)) static struct task *
wake_all(fm_job *j)
{
    struct task *here = NULL;

    j->next = fm__shuffle_jobs(j->next); /* the first one stays it */
    for (fm_job *next; j; j = next) {
        struct task *w;
        next = j->next;
        if (!job_is_task(j)) {
            j->run(j);
            continue;
        }
        w = task_of_job(j);
        if (!fm__wait_end(w))
            continue;
        if (!here && fm__may_run_here(w))
            here = w;
        else
            fm__task_post(w);
    }
    return here;
}

struct task *
fm__task_finish(struct task *t, void *fault)
{
    enum fm_status state = FM_DONE;
    struct task *here = NULL;
    fm_job *waiters;

    if (unlikely(fault)) {
        fm_fault *f = fault_untag(fault);
        state = f->code == FM__ECANCELED ? FM_CANCELLED : FM_FAULTED;
        t->job.run = (void (*)(fm_job *))(uintptr_t)f;
    }
    waiters = word_finish(t, state);
    if (waiters)
        here = wake_all(waiters);
    fm__task_release(t);
    return here;
}

/* ---- awaits -------------------------------------------------------------------- */

void *
fm__task_raise(struct task *t, bool releases)
{
    fm_fault *f = task_fault(t);

    /* The last handle goes: nobody else can come for the fault. */
    if (releases && fm__load_acquire(&t->refs) == 1) {
        t->job.run = NULL;
        fm__task_release(t);
        return fault_tag(f);
    }
    if (!(fm__load(&t->sync) & SYNC_OBSERVED))
        fm__or(&t->sync, SYNC_OBSERVED);
    f = fm__fault_again(f);
    if (releases)
        fm__task_release(t);
    return fault_tag(f);
}

/* A fault in place of an await that does not take place. */
static void *
await_fails(struct task *t, enum leaf kind, void *fault)
{
    if (kind == LEAF_JOIN)
        fm__task_release(t);
    return fault;
}

__attribute__((noinline)) static void *
await_task_slow(struct task *t, enum leaf kind)
{
    struct root *root = fm__thread.root;
    enum fm_status state = task_state(t);

    check(root);
    if (unlikely(fm__cancel_pending()))
        return await_fails(t, kind, fault_tag(fm__cancel_fault()));
    if (state != FM_RUNNING && likely(--fm__thread.budget != 0)) {
        if (likely(state == FM_DONE))
            return NULL;
        return fm__task_raise(t, kind == LEAF_JOIN);
    }
    if (unlikely(root->task == t))
        return await_fails(t, kind,
                           fault_tag(fm__fault_make(FM__EDEADLK, NULL,
                                                    "a task awaits itself")));
    if (!fm__watch_new(root, &root->watch))
        return await_fails(t, kind, fm_abi_enomem());
    root->kind = (uint8_t)kind;
    root->target = t;
    return &root->leaf;
}

/* Most awaits of a task that has not ended, or has ended well, are under no
 * ambient list. */
static inline __attribute__((always_inline)) void *
await_task(struct task *t, enum leaf kind)
{
    struct thread *th = &fm__thread;
    struct root *root = th->root;
    enum fm_status state;

    fm__audit_task(t, kind == LEAF_JOIN ? "fm_join" : "fm_get");
    state = task_state(t);
    if (unlikely(!root) || unlikely(th->context != NULL) ||
        unlikely(fm__load(&root->task->sync) & SYNC_CANCEL) ||
        unlikely(root->task == t))
        return await_task_slow(t, kind);
    if (state == FM_DONE && likely(th->budget > 1)) {
        th->budget--;
        return NULL;
    }
    if (unlikely(state != FM_RUNNING))
        return await_task_slow(t, kind);
    root->watch = NULL;
    root->kind = (uint8_t)kind;
    root->target = t;
    return &root->leaf;
}

void *
fm__await(fm_task *t)
{
    return await_task(task_of(t), LEAF_TASK);
}

void *
fm__join_wait(fm_task *t)
{
    return await_task(task_of(t), LEAF_JOIN);
}

/* A value is the handle of its task; tagged from the first take on, so that a
 * second one is noticed even if the first one raised; null once finished. */
void *
fm__take_wait(void *variable)
{
    uintptr_t *v = variable;
    uintptr_t t = *v;

    if (!t || (t & 1))
        return fault_tag(
            fm__fault_make(FM__EINVAL, NULL, "fm_take: taken already"));
    *v = t | 1;
    return await_task(task_of((fm_task *)t), LEAF_JOIN);
}

fm_task *
fm_abi_take_finish(void *variable)
{
    uintptr_t *v = variable;
    uintptr_t t = *v & ~(uintptr_t)1;

    *v = 0;
    return (fm_task *)t;
}

fm_task *
fm_abi_value_task(void *value)
{
    return fm_abi_take_finish(value);
}

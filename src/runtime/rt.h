/* rt.h: every record of the runtime, its invariant, owner and atomics.
 *
 * Words: a chain is records linked by next, innermost (head) first, its task's
 * record last. A root is what compiled code runs under; it gets control when
 * the chain is complete. Most executors have one thread each: the thread on
 * which a chain suspends is the thread on which its jobs run, so a job that is
 * posted while the root still arms runs after the arming. On the pool a chain
 * goes on on any worker: there, and for waits on tasks, the wait says while it
 * is being armed that it is (SYNC_ARMING, arm.c). */
#ifndef FM_RT_H
#define FM_RT_H

#define FM__RUNTIME 1
#pragma GCC visibility push(default)
#include <fermata.h>
#pragma GCC visibility pop

#include "base/atomic.h"
#include "base/check.h"
#include "runtime/sys.h"

#define FM_EXPORT __attribute__((visibility("default")))
#define FAST_TLS _Thread_local __attribute__((tls_model("initial-exec")))

struct task;
struct scope;
struct watch;
struct root;

/* ---- what a thread has -------------------------------------------------- */

struct thread {
    /* These five are struct fm_here. Innermost root; null outside compiled
     * code. */
    struct root *root;
    struct scope *context; /* the ambient list of what runs now */
    /* Of tasks; not thread-local itself, so that a program that has no part in
     * the library can dlopen it: such memory is scarce. */
    struct fm_free *task_lists;
    const char *alone;
#ifdef FM_CHECK
    uint32_t called_for; /* always 0: each await is a call, which looks */
#endif
    uint32_t budget; /* awaits that may still be done at once */
    uint32_t nested; /* chains resumed inside one another; + ARMING
                              * for each leaf's arm that this is inside of */
    fm_executor *executor; /* whose jobs run on this thread now */
    int *error; /* &errno */
    uint32_t unlooked; /* jobs that short waits ran by themselves */
    bool in_job; /* inside fm_job_run */
    bool worked; /* ran a job since the deadlock look */
    bool starved; /* the reserve was used since the last arming */
    bool started; /* thread_start was run */
    /* Memory of its free blocks' stacks: the newest one, whose first word
     * links to the others. */
    void ***stacks;
    size_t stacks_used; /* bytes of the newest */
    char *reserve; /* the reserve's next byte */
    char *reserve_end;
};
extern FAST_TLS struct thread fm__thread;
_Static_assert(
    offsetof(struct thread, root) == offsetof(struct fm_here, leaf) &&
        offsetof(struct thread, context) == offsetof(struct fm_here, context) &&
        offsetof(struct thread, task_lists) ==
            offsetof(struct fm_here, tasks) &&
        offsetof(struct thread, alone) == offsetof(struct fm_here, alone) &&
        offsetof(struct thread, alone) + sizeof(char *) ==
            offsetof(struct fm_here, budget),
    "a thread begins with what compiled code sees of it");

enum {
    BUDGET = 128,
    NESTED_MAX = 8,
    TURN = 127,
    UNLOOKED_MAX = 256,
    ARMING = 1 << 16
};

void fm__thread_start(void);
fm_executor *fm__executor_default(void);

/* The executor of what runs here; a thread without one gets a loop. */
static inline fm_executor *
fm__executor_here(void)
{
    fm_executor *ex = fm__thread.executor;

    return likely(ex != NULL) ? ex : fm__executor_default();
}

/* ---- a task ------------------------------------------------------------- */

/* A handle is the address of `record`; the rest lies before it. Aim: as few
 * bytes as can be, as a million of these may be suspended at once. */
struct task {
    /* Low three bits: enum fm_status and WORD_LOCK. The rest, while it runs:
     * the waiters, newest first, linked by fm_job.next. Release when it ends,
     * in fm__task_finish; acquire in everyone who reads it. */
    _Atomic uintptr_t word;
    union {
        struct {
            /* One for each handle, one for the chain; and REFS_SOURCE. */
            _Atomic uint32_t refs;
            union {
                struct {
                    /* Where its jobs run; 0 = none yet. Others may look. If it
                     * has one thread, no other thread runs or changes the
                     * chain: who runs it elsewhere (fm_anywhere, fm_switch)
                     * changes this first. Of one that has ended: nothing. */
                    _Atomic uint16_t executor;
                    uint8_t error; /* errno at the suspension */
                    /* SYNC_...: who ends the wait under way */
                    _Atomic uint8_t sync;
                };
                _Atomic uint32_t kept; /* the three at one look */
            };
        };
        _Atomic uint64_t counts; /* all of these */
    };
    uintptr_t wait; /* HELD_...: what it waits under and for */
    /* The record ends the chain, so its next is nobody's: the job's link
     * lies there. Its point tells that it is the end (FM_POINT_TASK). */
    union {
        /* Run: the chain's head, tagged JOB_TASK; after a fault: the fault. */
        fm_job job;
        struct {
            uintptr_t job_run;
            struct fm_record record;
        };
    };
};
#define TASK_BEFORE offsetof(struct task, record)
_Static_assert(TASK_BEFORE == FM_ABI_TASK_HEAD && FM_DONE == FM_ABI_TASK_DONE &&
                   offsetof(struct task, sync) == FM_ABI_TASK_FLAGS &&
                   offsetof(struct task, refs) ==
                       offsetof(struct fm_task_head, counts),
               "what compiled code knows of a task");
_Static_assert(offsetof(struct task, job.next) == TASK_BEFORE,
               "the link is the record's next");

/* Of counts, refs and sync. */
#define COUNTS_PLAIN (UINT64_C(0xff) << 56 | UINT32_MAX)
#define REFS_SOURCE (1u << 31) /* a source's task: it has no chain */
#define WORD_STATE 3u
#define WORD_LOCK 4u
#define WORD_BITS 7u
/* The top bit, which no address of a program has; the lowest one is set in
 * the addresses of many functions (-Os packs them, Thumb marks them). */
#define JOB_TASK (UINTPTR_MAX ^ UINTPTR_MAX >> 1)

/* sync. A wait is ARMED by its root. One of these ends it: fm_resume (ARMED
 * off, or DONE on if it is claimed already), or a canceller, who sets CLAIMED
 * and owns the task's job from then on. One that nobody may give up is ARMED
 * and shielded; a bare fm_suspend that begins while the process has one
 * thread need not say anything. */
#define SYNC_ARMED 1u
#define SYNC_CLAIMED 2u
#define SYNC_DONE 4u
#define SYNC_CANCEL (0u + FM_ABI_TASK_CANCEL) /* sticky: fm_cancel was called */
/* The root is still arming: who ends the wait only notes it, by DONE or
 * CLAIMED, and the root sees to the rest when it is through. */
#define SYNC_ARMING 16u
#define SYNC_LOOSE 32u /* the block is none of a slab's */
#define SYNC_NAMED 64u
#define SYNC_SHIELD 128u /* of this wait: fm_cancel does not end it */
#define SYNC_OBSERVED SYNC_SHIELD /* of one that ended: its fault was got */
#define SYNC_WAIT (SYNC_ARMED | SYNC_CLAIMED | SYNC_DONE | SYNC_SHIELD)

/* wait: a pointer and what it is. */
#define HELD_CONTEXT 0u /* the ambient list, one reference; may be null */
#define HELD_TASK 1u /* the task it awaits; no ambient list */
#define HELD_JOIN 2u /* the same, and releases it when it raises */
#define HELD_WATCH 3u /* a struct watch, which has all */
#define HELD_KIND 3u
#define HELD_OWN 4u /* some of the ambient list are its own scopes */
#define HELD_BITS 7u
/* The top bit: the place where it waits; no ambient list, no other bit. */
#define HELD_PLACE JOB_TASK

static inline struct fm_abi_place *
wait_place(uintptr_t wait)
{
    return (intptr_t)wait < 0 ? (void *)(wait - HELD_PLACE) : NULL;
}

static inline struct task *
task_of_record(const void *record)
{
    return (struct task *)(void *)((char *)(uintptr_t)record - TASK_BEFORE);
}

static inline struct task *
task_of(const fm_task *handle)
{
    return task_of_record(handle);
}

static inline fm_task *
task_handle(struct task *t)
{
    return (fm_task *)(void *)&t->record;
}

static inline struct task *
task_of_job(fm_job *job)
{
    return (struct task *)(void *)((char *)job - offsetof(struct task, job));
}

static inline bool
job_is_task(const fm_job *job)
{
    return (intptr_t)job->run < 0;
}

static inline struct fm_record *
task_head(const struct task *t)
{
    return (struct fm_record *)((uintptr_t)t->job.run - JOB_TASK);
}

static inline enum fm_status
task_state(struct task *t)
{
    return (enum fm_status)(fm__load_acquire(&t->word) & WORD_STATE);
}

static inline fm_fault *
task_fault(struct task *t)
{
    return (fm_fault *)(uintptr_t)t->job.run;
}

/* ---- a root ------------------------------------------------------------- */

enum leaf {
    LEAF_YIELD, /* to the back of the executor's queue */
    LEAF_SUSPEND, /* arm; only fm_resume ends it */
    LEAF_SWITCH, /* goes on, on another executor */
    LEAF_PLACE, /* waits at a place that knows of it */
    LEAF_UNTIL, /* arm, disarm and watch */
    LEAF_PARK, /* the same, and its memory lies behind the watch */
    LEAF_TASK, /* target ends */
    LEAF_JOIN, /* the same; released when it raises */
};

/* What a root has whose chain has no task yet: never cancelled. */
extern struct task fm__no_task __asm__("fm_abi_no_task") FM_EXPORT;

/* On the stack of what runs compiled code. `leaf` is the address that a
 * suspending leaf returns: its next becomes the chain's head. A leaf that
 * writes nothing else is a yield: whoever deals with another kind of
 * suspension leaves LEAF_YIELD behind, or the root. */
struct root {
    struct fm_record leaf;
    struct root *outer;
    struct task *task; /* fm__no_task: none yet (fm_begin) */
    struct scope *outer_context;
    /* One reference to the list that it came with; null = borrowed or
     * empty. */
    struct scope *held;
    union {
        struct {
            union {
                struct {
                    uint8_t kind; /* enum leaf */
                    /* It has scopes of its own on the list; false if that is
                     * empty. A list without such is `held`, or borrowed. */
                    bool own;
                    bool poor; /* a wait was given up for want of memory */
                    bool starved; /* the reserve was used under it */
                };
                uint32_t wish; /* the four at one look; 0 = a plain yield */
            };
            /* The dispatcher's: how often its chain may still yield or the
             * next one be taken before somebody looks around. */
            uint32_t turns;
        };
        uint64_t state; /* all of these */
    };
    union {
        fm_arm *arm;
        struct task *target; /* LEAF_TASK, LEAF_JOIN */
        fm_executor *executor; /* LEAF_SWITCH */
        struct fm_abi_place *place; /* LEAF_PLACE */
    };
    void *arg;
    struct watch *watch; /* from LEAF_UNTIL on; null = none needed */
};
_Static_assert(
    offsetof(struct root, outer) == offsetof(struct fm_root, outer) &&
        offsetof(struct root, task) == offsetof(struct fm_root, task) &&
        offsetof(struct root, outer_context) ==
            offsetof(struct fm_root, outer_context) &&
        offsetof(struct root, held) == offsetof(struct fm_root, held) &&
        offsetof(struct root, kind) == offsetof(struct fm_root, state) &&
        offsetof(struct root, state) == offsetof(struct root, kind),
    "what compiled code writes of a root");
_Static_assert(LEAF_YIELD == 0, "a root that was entered has no wish");
_Static_assert(offsetof(struct root, leaf) == 0, "fm_here.leaf is a root");
_Static_assert(sizeof(struct root) <= sizeof(struct fm_root),
               "compiled code makes room for a root");

static inline struct root *
root_of(struct fm_root *r)
{
    return (struct root *)(void *)r;
}

/* ---- the ambient list ----------------------------------------------------- */

/* A node on a token's list: who is to be told when it fires. */
struct node {
    struct node *next, *prev; /* null: on no list */
    fm_token *token;
    enum { NODE_WAIT, NODE_CALL, NODE_CHILD } kind;
};

/* A cancellation source and its token are one object. */
struct fm_token {
    _Atomic uint32_t refs;
    _Atomic bool fired; /* release in fire; acquire in readers */
    bool is_deadline; /* part of a scope; faults are ETIMEDOUT */
    struct lock lock; /* over the list */
    struct node *nodes;
    fm_token *parent; /* one reference */
    struct node up; /* on the parent's list */
    /* The timer runs on `executor` once it was started; from then on it is
     * touched, and the token freed, only there. LEFT: the token is dead, and
     * freed when the timer, which is about to fire, has done so. */
    enum {
        CLOCK_NONE,
        CLOCK_IDLE,
        CLOCK_STARTED,
        CLOCK_FIRED,
        CLOCK_LEFT
    } clock;
    fm_executor *executor;
    fm_timer timer;
    fm_job free_job;
};

enum scope_kind { SCOPE_LOCAL, SCOPE_TOKEN, SCOPE_DEADLINE, SCOPE_SHIELD };

/* One entry; immutable but for its counters, shared by all who see it. Each
 * entry owns a reference to the next; the frame that opened it owns one. */
struct scope {
    struct scope *next;
    _Atomic uint32_t refs;
    uint8_t kind;
    bool floor; /* its next is of another task, above */
    union {
        struct {
            const fm_local *key;
            void *value;
        };
        fm_token *token; /* also a deadline's; one reference */
    };
};

/* A token that may end a wait. */
struct wait_node {
    struct node node;
    struct watch *watch;
};

/* What a cancellable wait needs beyond the task's own words. Behind it lies
 * the memory of LEAF_PARK, then the nodes. */
struct watch {
    struct scope *context;
    union {
        struct task *awaited; /* LEAF_TASK, LEAF_JOIN */
        fm_disarm *disarm; /* LEAF_UNTIL, LEAF_PARK */
    };
    void *arg;
    struct task *task;
    size_t bytes; /* of all */
    uint32_t count; /* of nodes */
    uint8_t kind;
    bool shielded; /* the task's own flag does not end it */
    bool has_value; /* LEAF_PARK: for the one who awaits it */
};
_Static_assert(sizeof(struct watch) % 16 == 0, "what is behind is 16-aligned");

static inline struct wait_node *
watch_nodes(struct watch *w)
{
    return (struct wait_node *)(void *)((char *)w + w->bytes) - w->count;
}

/* What it waits for can be disarmed: it is no task. */
static inline bool
watch_disarms(const struct watch *w)
{
    return w->kind < LEAF_TASK;
}

/* ---- executors -------------------------------------------------------------- */

struct fm_executor {
    const fm_executor_vtable *vtable;
    void *arg;
    fm_ready *ready; /* its queue, if it shows it */
    /* The pool: its jobs run on several threads. Else null: one thread. A job
     * of one that yields: behind all that is ready. */
    void (*yield)(fm_job *job);
    uint16_t id; /* index in fm__executors; never 0 */
};
enum { EXECUTORS_MAX = 4096 };
extern fm_executor *fm__executors[EXECUTORS_MAX];

static inline fm_executor *
task_executor(const struct task *t)
{
    return fm__executors[fm__load(&t->executor)];
}

/* ---- faults ------------------------------------------------------------------- */

/* errno values that the runtime raises, without the header. */
enum {
    FM__ENOMEM = 12,
    FM__EINVAL = 22,
    FM__EDEADLK = 35,
    FM__ECANCELED = 125,
    FM__ETIMEDOUT = 110
};

enum {
    TRACE_FIRST = 24,
    TRACE_LAST = 8,
    CAUSES_MAX = 64 /* of a fault that stands for several tasks' */
};

/* Shared once it is a task's: then it is frozen, and each one who raises it
 * again raises a copy that starts from it. */
struct fm_fault {
    _Atomic uint32_t refs;
    int code;
    bool immortal; /* static: never counted, never changed */
    const char *message; /* own text, the base's, or a constant */
    struct fm_place place;
    fm_fault *base; /* what it is a copy of; its trace precedes */
    fm_fault *cause;
    fm_token *token;
    size_t bytes; /* of this block */
    /* Frames passed; the first ones and the last ones of them are kept. */
    size_t passed;
    const struct fm_point *first[TRACE_FIRST], *last[TRACE_LAST];
    char text[];
};

static inline void *
fault_tag(fm_fault *f)
{
    return (void *)((uintptr_t)f | FM_ABI_FAULT_BIT);
}

static inline bool
is_fault(const void *p)
{
    return ((uintptr_t)p & FM_ABI_FAULT_BIT) != 0;
}

static inline fm_fault *
fault_untag(void *p)
{
    return (fm_fault *)((uintptr_t)p & ~(uintptr_t)FM_ABI_FAULT_BIT);
}

/* Out of memory; static, so that raising it needs none. */
extern fm_fault fm__no_memory;
fm_fault *fm__fault_make(int code, fm_token *token, const char *text);
/* A fault to raise from one that others may hold too; consumes nothing. */
fm_fault *fm__fault_again(fm_fault *f);
/* A frame that a fault passes; returns it, or the copy that goes on. */
fm_fault *fm__fault_goes_on(fm_fault *f);

/* Nobody else holds it; an immortal one has no references. */
static inline bool
fault_is_ours(fm_fault *f)
{
    return fm__load_acquire(&f->refs) == 1;
}

static inline fm_fault *
fault_goes_on(fm_fault *f)
{
    return likely(fault_is_ours(f)) ? f : fm__fault_goes_on(f);
}

/* Another frame that f passes, which nobody else holds. Of a very long trace
 * the first frames and the last ones are kept. */
static inline void
fault_note(fm_fault *f, const struct fm_point *p)
{
    size_t n = f->passed;

    if (unlikely(f->immortal))
        return;
    f->passed = n + 1;
    if (likely(n < TRACE_FIRST))
        f->first[n] = p;
    else
        f->last[(n - TRACE_FIRST) % TRACE_LAST] = p;
}

static inline void *
fault_pass(void *tagged, const struct fm_point *p)
{
    fm_fault *f = fault_goes_on(fault_untag(tagged));

    fault_note(f, p);
    return fault_tag(f);
}

void fm__fault_print(const char *who, fm_fault *f);
extern const struct fm_point fm__begin_point
    __attribute__((visibility("hidden")));
fm_fault *fm__fault_enomem(void);

/* ---- points ---------------------------------------------------------------------- */

static inline fm_abi_resume *
point_resume(const struct fm_point *p)
{
    return (fm_abi_resume *)((uintptr_t)&p->resume +
                             (uintptr_t)(intptr_t)p->resume);
}

static inline const struct fm_point_info *
point_info(const struct fm_point *p)
{
    return p->info
               ? (const struct fm_point_info *)((uintptr_t)&p->info +
                                                (uintptr_t)(intptr_t)p->info)
               : NULL;
}
struct fm_place fm__point_place(const struct fm_point *p);

/* ---- locks ------------------------------------------------------------- */

/* Those over what all threads share, beside the slabs' own: nobody is inside
 * while the process forks (fork.c). */
enum {
    LOCK_POOL, /* it is made */
    LOCK_EXECUTORS,
    LOCK_NAMES,
    LOCK_LOOSE,
    LOCK_RESERVES,
    LOCK_ANYWHERE, /* a chain goes on elsewhere, or is read */
    LOCK_AUDIT, /* check builds: blocks that are kept back */
    LOCKS
};
extern struct lock fm__locks[LOCKS];

/* ---- between the files -------------------------------------------------------------- */

/* cont.c */
extern FAST_TLS struct fm_free fm_abi_free[FM_ABI_FREE_MAX / 8 + 1];

/* The list of blocks of n bytes; n is a multiple of 8. */
static inline struct fm_free *
free_list(size_t n)
{
    _Static_assert(sizeof(struct fm_free) == 8, "a stack for each 8 bytes");
    return (struct fm_free *)(void *)((char *)fm_abi_free + n);
}

static inline bool
free_is_full(const struct fm_free *list)
{
    return (uintptr_t)list->top % FM_ABI_FREE_STACK == 0;
}

void fm__record_give_slow(void *record, size_t bytes);

/* Frees a record of a point: its size is a multiple of 8. */
static inline void
record_give(void *record, size_t bytes)
{
    struct fm_free *list = free_list(bytes);

    if (unlikely(bytes > FM_ABI_FREE_MAX) || unlikely(free_is_full(list)))
        fm__record_give_slow(record, bytes);
    else
        *list->top++ = record;
}

enum { TASK_MAX = FM_ABI_TASK_MAX, TASK_CLASSES = TASK_MAX / 8 + 1 };
/* Those of tasks of n bytes in all, a multiple of 8. */
static inline struct fm_free *
task_list(size_t n)
{
    return (struct fm_free *)(void *)((char *)fm__thread.task_lists + n);
}

/* Null: the list is empty or there is none for so many bytes. */
static inline void *
record_take(size_t bytes)
{
    struct fm_free *list = free_list(bytes);
    void *block;

    if (unlikely(bytes > FM_ABI_FREE_MAX) || unlikely(!(block = list->top[-1])))
        return NULL;
    list->top--;
    return block;
}

void *fm__record_new(size_t bytes);
/* From the reserve if it must be: then the next suspension is failed. */
void *fm__record_must(size_t bytes);
struct task *fm__task_block_new_slow(size_t record_bytes);

/* Null: no memory. */
static inline struct task *
fm__task_block_new(size_t record_bytes)
{
    size_t bytes = (TASK_BEFORE + record_bytes + 7) & ~(size_t)7;
    struct fm_free *list = task_list(bytes);
    struct task *t;

    if (unlikely(bytes > TASK_MAX) || unlikely(!(t = list->top[-1])))
        return fm__task_block_new_slow(record_bytes);
    list->top--;
    return t;
}

struct task *fm__task_block_starved(size_t record_bytes);
void fm__task_block_free(struct task *t);
/* Calls fn for every task that is alive, each with a reference of its own
 * that fn takes over; fn must not make or free tasks. */
void fm__task_each(void (*fn)(struct task *t, void *arg), void *arg);
void fm__reserve_refill(void);

/* task.c */

/* Two references: the chain's and the handle's. */
static inline void
fm__task_init(struct task *t)
{
    uint64_t loose = fm__load(&t->sync) & SYNC_LOOSE;

    fm__store(&t->word, 0);
    fm__store_release(&t->counts, loose << 56 | 2); /* for fm__task_each */
}

/* Ends it: state and, for a fault, the fault. Returns the first waiter if it
 * is a task to be run here next, in place of a call; wakes the others. */
struct task *fm__task_finish(struct task *t, void *fault);

/* The only waiter of a running task, if it is a task that goes on here and
 * waits for nothing else; one thread. */
static inline struct task *
only_waiter(uintptr_t word)
{
    fm_job *job = (fm_job *)word;
    struct task *w = task_of_job(job);

    if ((word & WORD_BITS) || job->next || !job_is_task(job) ||
        task_executor(w) != fm__thread.executor ||
        fm__thread.nested >= NESTED_MAX ||
        (fm__load(&w->sync) & SYNC_WAIT) != SYNC_ARMED)
        return NULL;
    fm__store(&w->sync, (uint8_t)(fm__load(&w->sync) & ~SYNC_ARMED));
    return w;
}

/* The same, in the dispatcher. One thread, nobody waits or the one who does
 * goes on here, one has a handle, no flag is set: a few stores. Then its
 * counters are what compiled code looks for at the end of a join: one handle
 * and no more. */
static inline struct task *
task_finish(struct task *t, void *fault)
{
    uintptr_t word = fm__load(&t->word);
    struct task *next = NULL;

    if (unlikely(fault != NULL) || unlikely(!fm__alone()) ||
        unlikely((fm__load(&t->counts) & COUNTS_PLAIN) != 2) ||
        (word && !(next = only_waiter(word))))
        return fm__task_finish(t, fault);
    fm__store(&t->word, FM_DONE);
    fm__store(&t->counts, 1);
    return next;
}

/* Puts a node on t's list. False: t has ended, nothing was done. */
bool fm__task_listen(struct task *t, fm_job *node);
/* Takes it off. False: the end is under way, the node has been or will be
 * run. */
bool fm__task_unlisten(struct task *t, fm_job *node);
void fm__task_release(struct task *t);
/* The fault to raise when somebody reads the faulted t. */
void *fm__task_raise(struct task *t, bool releases);

/* source.c, name.c */
/* A task that ended with ENOMEM, in place of one that could not be made. */
fm_task *fm__task_no_memory(void);
void fm__source_cancel_task(struct task *t);
void fm__task_name(struct task *t, char *out, size_t bytes);

/* arm.c */
/* Ends the arming of a wait (SYNC_ARMING): from here on whoever ends it has t;
 * an end that was noted meanwhile is seen to. */
void fm__arm_over(struct task *t, bool cancelled);
/* The root's context becomes the suspended task's, with a reference. */
struct scope *fm__context_keep(struct root *root);

static inline void
ready_append(fm_ready *q, fm_job *job)
{
    job->next = NULL;
    *q->last = job;
    q->last = &job->next;
}

/* dispatch.c */
void fm__resume_chain(struct task *t);
/* t yielded where ordinary C waits for it, and goes on. */
void fm__chain_goes_on(struct task *t);
/* The wait of t has ended, by whom it concerns: run it here or post it. */
void fm__task_wake(struct task *t);
/* The same, decided by a claim: always posted. */
void fm__task_post(struct task *t);
/* True: t may run inside this call. */
bool fm__may_run_here(struct task *t);
bool fm__wait_end_slow(struct task *t);

/* False: a canceller has claimed the wait and goes on with it. */
static inline bool
fm__wait_end(struct task *t)
{
    uint8_t s = fm__load_acquire(&t->sync);

    if (!(s & (SYNC_ARMED | SYNC_ARMING)))
        return true;
    if (unlikely(s & (SYNC_CLAIMED | SYNC_ARMING)) || unlikely(!fm__alone()))
        return fm__wait_end_slow(t);
    fm__store(&t->sync, (uint8_t)(s & ~(SYNC_ARMED | SYNC_SHIELD)));
    return true;
}

/* cancel.c */
bool fm__cancel_pending_slow(void);
/* The task that the wait of t, which is armed, is for, or null. */
struct task *fm__wait_awaited(const struct task *t);
/* A wait that may be given up is, for want of memory: the next
 * fm_raise_cancelled raises ENOMEM. */
void fm__wait_poor(struct root *root);

static inline bool
fm__cancel_pending(void)
{
    struct thread *th = &fm__thread;
    struct root *root = th->root;

    if (likely(!th->context) &&
        likely(!root || !(fm__load(&root->task->sync) & SYNC_CANCEL)))
        return false;
    return fm__cancel_pending_slow();
}
fm_fault *fm__cancel_fault(void);
/* True if the wait can be ended by somebody but the task itself: then *watch
 * is set, or null if only the task's own flag can end it. False: no memory. */
bool fm__watch_new(struct root *root, struct watch **watch);
/* One with so many bytes behind it; null: no memory. */
struct watch *fm__watch_with(struct root *root, size_t bytes);
void fm__watch_arm(struct watch *w);
/* Takes it off its tokens' lists: none of them gives the wait up any more. */
void fm__watch_detach(struct watch *w);
void fm__watch_free(struct watch *w);
/* Runs on the waiter's executor for a claimed wait. False: it goes on waiting.
 * True: it ended, and was given up if it is still claimed. */
bool fm__claim_settle(struct task *t);
/* Gives up the wait of t because its own flag is set. */
void fm__task_interrupt(struct task *t);
/* Claims the wait of t, unless a bit of `unless` is set. True: the caller has
 * t's job and must post it. */
bool fm__wait_claim(struct task *t, unsigned unless);
/* The same for one that is claimed already. */
bool fm__wait_claimed(struct task *t);

/* token.c */
fm_token *fm__token_new(void);
/* Starts a deadline's clock if it is not yet; under the token's lock. */
void fm__clock_start(fm_token *tok);
void fm__clocks_start(const struct scope *s);

/* Under the token's lock, both. */
static inline void
node_add(fm_token *tok, struct node *n)
{
    n->token = tok;
    n->prev = NULL;
    n->next = tok->nodes;
    if (n->next)
        n->next->prev = n;
    tok->nodes = n;
}

static inline void
node_remove(struct node *n)
{
    if (n->prev)
        n->prev->next = n->next;
    else
        n->token->nodes = n->next;
    if (n->next)
        n->next->prev = n->prev;
    n->token = NULL;
}

/* executor.c */
fm_executor *fm__executor_timers(fm_executor *ex);
bool fm__executors_busy(void);

/* deadlock.c: called by who waits for main, whenever it looks around. */
void fm__deadlock_look(fm_executor *ex);

/* local.c */
static inline void
scope_retain(struct scope *s)
{
    if (s)
        fm__add(&s->refs, 1);
}
void fm__scope_release(struct scope *s);

/* program.c */
extern struct task *fm__main_task;
/* What still runs when main ends is not waited for. */
extern bool fm__rest_is_left;

/* trace.c: on standard error, a line a frame. */
/* The functions at a point, innermost first: that with the await, then those
 * into which LLVM inlined it. Not those that the compiler half made. */
enum fm__extent {
    POINT_WHOLE, /* all of them */
    POINT_PASSED, /* as far as a fault goes that comes out there */
};
void fm__point_each(const struct fm_point *p, enum fm__extent extent,
                    void (*fn)(void *arg, const struct fm_place *place),
                    void *arg);
void fm__say_place(void *arg, const struct fm_place *place);
void fm__say_task(struct task *t);
/* census.c: the same for one that may be resumed elsewhere just now. */
void fm__say_running(struct task *t);
/* The task that a suspended one awaits, or null. */
struct task *fm__task_awaited(const struct task *t);
/* The same, and those that it waits for. */
void fm__say_tasks(struct task *t);

#endif

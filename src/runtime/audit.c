/* audit.c: what must hold of all tasks, looked over in check builds.
 *
 * Gives: the sentences for what a program must not do with a handle or a
 * waiter, and a walk over every suspended task: its chain, what it waits for,
 * who waits for it. The walk's pace follows its cost, so that a program with
 * many tasks stays linear. Freed blocks are overwritten and kept back: who
 * writes to one is told of when the block leaves. */
#ifdef FM_CHECK

#include "runtime/audit.h"

#include <string.h>

#include "runtime/entry.h"

/* ---- blocks ---------------------------------------------------------------- */

/* Has SYNC_LOOSE where a task's sync lies: a dead task is still known as
 * one that has a header. */
enum { POISON = 0xef, KEPT = 2048 };
_Static_assert(POISON &SYNC_LOOSE, "a dead task has a header");

static struct loose *kept[KEPT];
static unsigned kept_at;

void
fm__audit_born(struct loose *l)
{
    fm__store(&l->word, LOOSE_LIVE);
    fm__store(&l->due, 0);
}

static void
let_go(struct loose *l)
{
    const unsigned char *p = (const unsigned char *)(l + 1);

    for (size_t i = 0; i < l->bytes; i++)
        if (p[i] != POISON)
            fm__die("check: a block of %zu bytes was written to at %zu after "
                    "it was freed",
                    l->bytes, i);
    if (!l->reserve)
        fm__sys_free(l);
}

void
fm__audit_dead(struct loose *l)
{
    struct loose *oldest;

    if (fm__load(&l->word) != LOOSE_LIVE)
        fm__die("check: a block is freed that is not allocated");
    fm__store(&l->word, LOOSE_DEAD);
    memset(l + 1, POISON, l->bytes);
    lock_take(&fm__locks[LOCK_AUDIT]);
    oldest = kept[kept_at % KEPT];
    kept[kept_at++ % KEPT] = l;
    lock_give(&fm__locks[LOCK_AUDIT]);
    if (oldest)
        let_go(oldest);
}

static bool
is_live(const void *block, size_t bytes)
{
    struct loose *l = loose_of((void *)(uintptr_t)block);

    return fm__load(&l->word) == LOOSE_LIVE && l->bytes >= bytes;
}

/* Tasks that the library keeps for everybody have no header. */
static bool
has_header(struct task *t)
{
    return (fm__load(&t->sync) & SYNC_LOOSE) != 0;
}

void
fm__audit_task(struct task *t, const char *who)
{
    if ((uintptr_t)t + TASK_BEFORE == 0 || !t)
        fm__die("%s: of no task: its handle is null", who);
    if (has_header(t) && !is_live(t, TASK_BEFORE))
        fm__die("%s: of a task whose last reference was released before", who);
}

/* ---- waits ------------------------------------------------------------------- */

void
fm__audit_suspend(struct task *t)
{
    const struct fm_record *head = task_head(t);
    bool anywhere = (head->point->flags & FM_POINT_ANYWHERE) != 0 ||
                    fm__executor_here()->yield != NULL;

    fm__store(&loose_of(t)->due, DUE_RUN | (anywhere ? DUE_ELSEWHERE : 0));
}

void
fm__audit_run(struct task *t)
{
    uint32_t due = fm__load(&loose_of(t)->due);

    fm__audit_task(t, "a wake");
    if (!(due & DUE_RUN))
        fm__die("check: a task is run that is not suspended: it was resumed "
                "twice");
    fm__store(&loose_of(t)->due, due & ~(DUE_RUN | DUE_ELSEWHERE));
}

void
fm__audit_arm(struct task *t)
{
    fm__add(&loose_of(t)->due, DUE_RESUME);
}

void
fm__audit_resume(struct task *t, const char *who)
{
    _Atomic uint32_t *due = &loose_of(t)->due;
    uint32_t old;

    fm__audit_task(t, who);
    old = fm__load(due);
    do {
        if (!(old & DUE_RESUME))
            fm__die("%s: this wait has ended before: a waiter is resumed "
                    "once, and not after its disarm returned true",
                    who);
    } while (!atomic_compare_exchange_weak(due, &old, old & ~DUE_RESUME));
}

void
fm__audit_given_up(struct task *t)
{
    _Atomic uint32_t *due = &loose_of(t)->due;
    uint32_t old = fm__load(due);

    while (!atomic_compare_exchange_weak(due, &old, old & ~DUE_RESUME))
        continue;
}

/* ---- the walk -------------------------------------------------------------------- */

struct walk {
    size_t work; /* records and tasks seen */
    fm_executor *executor;
};

#define HOLDS(cond)                                                            \
    ((cond) ? (void)0                                                          \
            : fm__die("check: %s does not hold of a suspended task (%s:%d)",   \
                      #cond, __FILE__, __LINE__))

static bool
runs_here(const struct task *t)
{
    for (struct root *r = fm__thread.root; r; r = r->outer)
        if (r->task == t)
            return true;
    return false;
}

/* The chain: live records of the size that their points say, the task's own
 * at the end. */
static void
walk_chain(struct walk *w, struct task *t)
{
    struct fm_record *r = task_head(t);

    for (; r != &t->record; r = r->next) {
        HOLDS(r && r->point && !(r->point->flags & FM_POINT_TASK));
        HOLDS(is_live(r, r->point->size));
        w->work++;
    }
    HOLDS(t->record.point && (t->record.point->flags & FM_POINT_TASK));
}

static void
walk_wait(struct task *t, uint8_t sync)
{
    void *p = (void *)(t->wait & ~(uintptr_t)HELD_BITS);
    struct watch *watch = p;

    HOLDS(!(sync & (SYNC_CLAIMED | SYNC_DONE)) ||
          (sync & (SYNC_ARMED | SYNC_ARMING)));
    if (wait_place(t->wait))
        return;
    switch (t->wait & HELD_KIND) {
    case HELD_CONTEXT:
        HOLDS(!p || (is_live(p, sizeof(struct scope)) &&
                     fm__load(&((struct scope *)p)->refs) > 0));
        break;
    case HELD_TASK:
    case HELD_JOIN:
        fm__audit_task(p, "check: an await");
        break;
    case HELD_WATCH:
        HOLDS(is_live(watch, sizeof *watch) && is_live(watch, watch->bytes));
        HOLDS(!watch->count || watch->task == t);
        break;
    }
}

/* Those who wait for t; nobody else may change the list meanwhile. */
static void
walk_waiters(struct walk *w, struct task *t)
{
    uintptr_t word = fm__load(&t->word);

    if (word & WORD_BITS)
        return;
    for (fm_job *j = (fm_job *)word; j; j = j->next, w->work++)
        if (job_is_task(j))
            HOLDS(is_live(task_of_job(j), TASK_BEFORE));
}

static void
walk_task(struct loose *l, void *arg)
{
    struct walk *w = arg;
    struct task *t = (struct task *)(void *)(l + 1);
    uint32_t due = fm__load(&l->due);

    w->work++;
    if (!(fm__load(&t->refs) & ~REFS_SOURCE))
        return;
    HOLDS(fm__load(&l->word) == LOOSE_LIVE);
    if (fm__alone())
        walk_waiters(w, t);
    if (!(due & DUE_RUN) || runs_here(t) || task_executor(t) != w->executor)
        return;
    /* Another thread may run it meanwhile; one that was switched to the pool
     * suspended on a loop, and says nothing of it. */
    if (((due & DUE_ELSEWHERE) || w->executor->yield) && !fm__alone())
        return;
    HOLDS((fm__load(&t->word) & WORD_STATE) == FM_RUNNING);
    HOLDS(job_is_task(&t->job));
    walk_chain(w, t);
    walk_wait(t, fm__load(&t->sync));
}

static void
walk_queue(struct walk *w, fm_ready *q)
{
    fm_job **last = &q->first;

    for (; *last; last = &(*last)->next, w->work++)
        if (job_is_task(*last))
            HOLDS(is_live(task_of_job(*last), TASK_BEFORE));
    HOLDS(q->last == last);
}

void
fm__audit_turn(void)
{
    static _Thread_local size_t wait;
    struct walk w = {0, fm__thread.executor};

    if (wait) {
        wait--;
        return;
    }
    fm__loose_each(walk_task, &w);
    if (w.executor && w.executor->ready)
        walk_queue(&w, w.executor->ready);
    wait = w.work;
}

/* ---- other orders ------------------------------------------------------------------ */

static _Thread_local uint64_t shuffle_state;

uint32_t
fm__shuffle(uint32_t n)
{
    static _Atomic uint32_t threads;
    uint64_t x = shuffle_state;
    long seed;

    if (!x) {
        seed = fm__sys_env_number("FERMATA_SHUFFLE", 0);
        x = seed ? (uint64_t)seed * 0x9e3779b97f4a7c15u + fm__add(&threads, 1)
                 : 1;
        x |= 1;
    }
    if (x != 1) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    shuffle_state = x;
    return x == 1 ? 0 : (uint32_t)((x >> 32) % n);
}

fm_job *
fm__shuffle_jobs(fm_job *j)
{
    fm_job *first = NULL, **last = &first;

    for (fm_job *next; j; j = next) {
        next = j->next;
        if (fm__shuffle(2)) { /* to the front */
            j->next = first;
            if (!first)
                last = &j->next;
            first = j;
        } else {
            j->next = NULL;
            *last = j;
            last = &j->next;
        }
    }
    return first;
}

#endif

/* crew.c: the pool's threads and its place among the executors: how workers
 * begin and end, the table, the counts, and what a fork leaves of them. */
#include <string.h>

#include "runtime/entry.h"
#include "runtime/pool.h"
#include "runtime/worker.h"

#include <fermata/trace.h>

/* ---- threads ---------------------------------------------------------- */

/* There is no thread for this one, or no descriptors: the pool is smaller. It
 * was begun for a job, to which somebody else must come. */
static void
worker_fails(void)
{
    atomic_fetch_add(&fm__pool.ended, 1);
    atomic_fetch_sub(&fm__pool.searching, 1);
    fm__pool_notify();
}

static struct worker *
worker_new(unsigned index)
{
    struct worker *w = fm__sys_alloc(sizeof *w);

    if (!w)
        return NULL;
    memset(w, 0, sizeof *w);
    w->random = index;
    w->searching = true;
    w->reactor = fm_abi_reactor_new();
    if (w->reactor)
        return w;
    fm__sys_free(w);
    return NULL;
}

/* Nobody else could run what is queued: it waits until there is something.
 * Null: the pool has been stopped meanwhile. */
static struct worker *
worker_first(void)
{
    struct worker *w;

    fm__sys_say("fermata: the pool has no memory or descriptors for its first "
                "thread's event loop: it waits until there are");
    while (!(w = worker_new(0)) && !fm__load(&fm__pool.stop))
        fm__sys_word_wait(&fm__pool.stop, 0, FM_MS(10));
    return w;
}

static void *
worker_main(void *arg)
{
    unsigned index = (unsigned)(uintptr_t)arg;
    struct worker *w;

    fm__thread_start();
    fm__thread.executor = fm_pool();
    w = worker_new(index);
    if (!w && index == 0)
        w = worker_first();
    if (!w) {
        worker_fails();
        return NULL;
    }
    fm__worker = w;
    atomic_store(&fm__pool.workers[index], w);
    fm__worker_loop(w);
    atomic_fetch_add(&fm__pool.ended, 1);
    return NULL;
}

/* It begins as one that searches. */
void
fm__worker_begin(unsigned index)
{
    uintptr_t thread;

    if (fm__sys_thread_new(&thread, "fermata-pool", worker_main,
                           (void *)(uintptr_t)index))
        fm__store(&fm__pool.threads[index], thread);
    else if (index == 0)
        fm__die("the pool cannot have a thread");
    else
        worker_fails();
}

/* ---- the executor ----------------------------------------------------- */

static bool
pool_is_current(void *arg)
{
    (void)arg;
    return fm__worker != NULL;
}

static void
pool_timer_start(void *arg, fm_timer *timer)
{
    (void)arg;
    check(fm__worker); /* on its threads, as the table says */
    fm_abi_reactor_timer_start(fm__worker->reactor, timer);
}

static bool
pool_timer_stop(void *arg, fm_timer *timer)
{
    (void)arg;
    return fm_abi_reactor_timer_stop(timer);
}

/* Its reactors are executors of their own, and tell theirs. */
static size_t
pool_pending(void *arg)
{
    (void)arg;
    return atomic_load(&fm__pool.count) + fm__pool.size -
           atomic_load(&fm__pool.spare) - atomic_load(&fm__pool.ended);
}

static void
pool_free(void *arg)
{
    (void)arg;
    fm__die("the pool lasts as long as the program: it cannot be freed");
}

static const fm_executor_vtable pool_table = {
    .post = fm__pool_post,
    .is_current = pool_is_current,
    .timer_start = pool_timer_start,
    .timer_stop = pool_timer_stop,
    .pending = pool_pending,
    .free = pool_free,
};

static void
note_fork(void)
{
    if (fm__load(&fm__pool.executor))
        fm__store(&fm__pool.forked, true);
}

static void
pool_make(void)
{
    long n = fm__sys_env_number("FERMATA_POOL", (long)fm__sys_cores());
    fm_executor *ex;

    fm__pool.size = n < 1 ? 1 : n > WORKERS_MAX ? WORKERS_MAX : (unsigned)n;
    atomic_store(&fm__pool.spare, fm__pool.size);
    ex = fm_executor_new(&pool_table, NULL);
    if (!ex)
        fm__die("no memory for the pool");
    ex->yield = fm__pool_yield;
    fm__store_release(&fm__pool.executor, ex);
}

fm_executor *
fm_pool(void)
{
    struct lock *making = &fm__locks[LOCK_POOL];

    /* acquire: pairs with the release in pool_make */
    if (likely(fm__load_acquire(&fm__pool.executor) != NULL))
        return fm__load(&fm__pool.executor);
    fm__sys_at_fork(note_fork); /* not under a lock that a fork waits for */
    lock_take(making);
    if (!fm__load(&fm__pool.executor))
        pool_make();
    lock_give(making);
    return fm__load(&fm__pool.executor);
}

uint32_t
fm__pool_epoch(void)
{
    return fm__load(&fm__pool.epoch);
}

void
fm__pool_stats(struct fm_stats *s)
{
    unsigned n = atomic_load(&fm__pool.begun);

    s->queued = atomic_load(&fm__pool.count);
    for (unsigned i = 0; i < n; i++) {
        struct worker *w = fm__load_acquire(&fm__pool.workers[i]);
        if (!w)
            continue;
        s->workers++;
        s->parked += fm__worker_is_idle(w);
        s->queued += deque_count(&w->deque) + (fm__load(&w->slot) != NULL);
        s->jobs += fm__load(&w->ticks);
        s->steals += fm__load(&w->steals);
        s->parks += fm__load(&w->parks);
    }
}

/* ---- the end ---------------------------------------------------------- */

void
fm__pool_stop(int64_t deadline)
{
    unsigned n;

    fm__store(&fm__pool.stopped_by, &fm__thread);
    lock_take(&fm__pool.lock);
    atomic_store(&fm__pool.stop, 1); /* none is begun from here on */
    n = atomic_load(&fm__pool.begun);
    lock_give(&fm__pool.lock);
    while (atomic_load(&fm__pool.ended) < n) {
        for (unsigned i = 0; i < n; i++) {
            struct worker *w = fm__load_acquire(&fm__pool.workers[i]);
            if (w)
                fm_abi_reactor_wake(w->reactor);
        }
        if (fm_now() >= deadline)
            return; /* somebody's code is still running: it is left */
        fm__sys_word_wait(&fm__pool.stop, 1, FM_MS(1));
    }
    for (unsigned i = 0; i < n; i++)
        if (fm__load(&fm__pool.threads[i]))
            fm__sys_thread_join(fm__load(&fm__pool.threads[i]));
}

/* The child has one thread, maybe a worker, which goes on as the only one.
 * What is queued is the parent's. */
void
fm__pool_after_fork(void)
{
    struct worker *w = fm__worker;

    if (!fm__load(&fm__pool.executor))
        return;
    fm__store(&fm__pool.forked, false);
    memset(&fm__pool.lock, 0, sizeof fm__pool.lock);
    for (unsigned i = 0; i < WORKERS_MAX; i++) {
        fm__store(&fm__pool.threads[i], 0);
        fm__store(&fm__pool.workers[i], NULL);
    }
    fm__pool.first = NULL;
    fm__pool.last = &fm__pool.first;
    fm__pool.idle = NULL;
    atomic_store(&fm__pool.count, 0);
    atomic_store(&fm__pool.searching, 0);
    atomic_store(&fm__pool.watching, 0);
    atomic_store(&fm__pool.ended, 0);
    atomic_store(&fm__pool.begun, w != NULL);
    atomic_store(&fm__pool.spare, fm__pool.size - (w != NULL));
    if (!w)
        return;
    fm__store(&fm__pool.workers[0], w);
    memset(&w->deque, 0, sizeof w->deque);
    fm__store(&w->slot, NULL);
    w->searching = w->woken = w->idle = false;
}

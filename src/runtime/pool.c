/* pool.c: the work-stealing pool, an executor of several threads.
 *
 * A worker takes its next job from its slot (what it woke last, while the
 * cache is warm; never very often in a row), from its deque, from the queue of
 * all, then from others' deques; then it parks in its reactor, where what its
 * tasks await is. Every TICKS jobs, sooner if they are long, it looks at the
 * queue of all and at its reactor first, so neither starves.
 *
 * No wake is lost. Whoever makes a job visible to others (in a deque or the
 * queue of all) then reads `searching` and `spare`, and wakes a worker unless
 * one searches or none is spare (fm__pool_notify). Who parks first counts
 * itself as spare, then as not searching, and then looks through all queues
 * once more (worker_park). All of these are sequentially consistent, so of two such
 * sequences one comes first: either the parker sees the job, or the other sees
 * that it is spare and nobody searches. A searcher that finds a job and is the
 * last to search notifies, for there may be more. What is in a slot is
 * nobody else's: its owner is running and comes to it, or `watch` does.
 *
 * A job that keeps its worker for long would keep what came for that worker's
 * reactor, and the slot's job. So while one works and another is parked, one
 * of the parked ones watches: it looks every WATCH_NS whether a worker is
 * still at the same job, and then serves its reactor and takes its slot's job.
 */
#include "runtime/entry.h"
#include "runtime/pool.h"
#include "runtime/worker.h"

enum {
    TICKS = 61,       /* jobs between two looks, if they are short */
    SLOT_RUNS = 8,    /* of the slot's jobs in a row, while others wait */
    GRAB = 32,        /* jobs from the queue of all at once */
    ROUNDS = 40,      /* of a search, of some 300 ns each */
    QUIET_LOOKS = 20, /* then the watch ends */
    STARTS_STACK = 65536, /* bytes for calls that run in their starters */
};
#define WATCH_NS FM_MS(5)
#define LOOK_NS FM_MS(1)

struct pool fm__pool = {.last = &fm__pool.first};
FAST_TLS struct worker *fm__worker;

/* ---- waking ----------------------------------------------------------- */

static bool
pool_has_work(void)
{
    unsigned n = atomic_load(&fm__pool.begun);

    if (atomic_load(&fm__pool.count))
        return true;
    for (unsigned i = 0; i < n; i++) {
        struct worker *w = atomic_load(&fm__pool.workers[i]);
        if (w && !deque_is_empty(&w->deque))
            return true;
    }
    return false;
}

/* Under the lock, which it gives back: wakes one that is parked, or begins
 * one. It is counted among the searchers already. */
static void
wake_and_unlock(void)
{
    struct worker *w = fm__pool.idle;
    unsigned begin = WORKERS_MAX;

    if (w) {
        fm__pool.idle = w->next;
        w->idle = false;
        w->woken = true;
    } else if (atomic_load(&fm__pool.begun) < fm__pool.size &&
               !atomic_load(&fm__pool.stop)) {
        begin = atomic_fetch_add(&fm__pool.begun, 1);
    }
    if (w || begin < WORKERS_MAX)
        atomic_fetch_sub(&fm__pool.spare, 1);
    else /* none is spare, as is known under the lock */
        atomic_fetch_sub(&fm__pool.searching, 1);
    lock_give(&fm__pool.lock);
    if (w)
        fm_abi_reactor_wake(w->reactor);
    else if (begin < WORKERS_MAX)
        fm__worker_begin(begin);
}

__attribute__((noinline)) static void
pool_wake_one(void)
{
    uint32_t none = 0;

    /* On behalf of whoever is woken. */
    if (!atomic_compare_exchange_strong(&fm__pool.searching, &none, 1))
        return;
    lock_take(&fm__pool.lock);
    wake_and_unlock();
}

/* After a job was made visible. */
void
fm__pool_notify(void)
{
    if (atomic_load(&fm__pool.searching) == 0 &&
        atomic_load(&fm__pool.spare) != 0)
        pool_wake_one();
}

/* ---- the queue of all ------------------------------------------------- */

static void
queue_put(fm_job *job)
{
    if (unlikely(fm__load(&fm__pool.forked)))
        fm__die("after a fork the child must exec, or call fm_atfork_child "
                "before it uses the pool");
    if (unlikely(fm__load(&fm__pool.stopped_by) == &fm__thread))
        fm__die("main has ended, and the pool with it: an exit handler cannot "
                "start anything there");
    job->next = NULL;
    lock_take(&fm__pool.lock);
    *fm__pool.last = job;
    fm__pool.last = &job->next;
    atomic_fetch_add(&fm__pool.count, 1);
    lock_give(&fm__pool.lock);
}

/* One job, and some more for w's deque: its share of them. */
static fm_job *
queue_take(struct worker *w)
{
    size_t n = atomic_load(&fm__pool.count), took = 0;
    fm_job *first = NULL, **end = &first, *job;

    if (!n)
        return NULL;
    lock_take(&fm__pool.lock);
    n = fm__load(&fm__pool.count) / fm__pool.size + 1;
    while (took < n && took < GRAB && (job = fm__pool.first)) {
        if (!(fm__pool.first = job->next))
            fm__pool.last = &fm__pool.first;
        *end = job;
        end = &job->next;
        took++;
    }
    atomic_fetch_sub(&fm__pool.count, took);
    lock_give(&fm__pool.lock);
    *end = NULL;
    job = first;
    first = job ? job->next : NULL;
    while (first) {
        fm_job *next = first->next;
        if (!deque_put(&w->deque, first))
            queue_put(first);
        first = next;
    }
    if (took > 1)
        fm__pool_notify();
    return job;
}

/* ---- posting ---------------------------------------------------------- */

/* Behind what is ready. */
static void
put_last(struct worker *w, fm_job *job)
{
    if (!w || !deque_put(&w->deque, job))
        queue_put(job);
    fm__pool_notify();
}

void
fm__pool_yield(fm_job *job)
{
    put_last(fm__worker, job);
}

void
fm__pool_post(void *arg, fm_job *job)
{
    struct worker *w = fm__worker;
    fm_job *before;

    (void)arg;
    if (!w) {
        put_last(NULL, job);
        return;
    }
    /* acq_rel: what a thief takes out of the slot was put there by us */
    before = atomic_exchange_explicit(&w->slot, job, memory_order_acq_rel);
    if (before)
        put_last(w, before);
}

/* Not too deep: what such a call starts may run here, too, without end. */
bool
fm__pool_runs_here(fm_executor *ex)
{
    struct worker *w = fm__worker;
    const char *here = __builtin_frame_address(0);

    return ex->yield && w && deque_is_full(&w->deque) &&
           (size_t)(w->stack - here) < STARTS_STACK;
}

/* ---- a worker's next job ---------------------------------------------- */

static fm_job *
slot_take(struct worker *w)
{
    if (!atomic_load_explicit(&w->slot, memory_order_relaxed))
        return NULL;
    return atomic_exchange_explicit(&w->slot, NULL, memory_order_acq_rel);
}

static bool
others_wait(struct worker *w)
{
    return !deque_is_empty(&w->deque) || fm__load(&fm__pool.count) != 0;
}

static fm_job *
own_next(struct worker *w)
{
    fm_job *job = slot_take(w);

    if (job && ++w->slot_runs > SLOT_RUNS && others_wait(w)) {
        put_last(w, job); /* the others are before it now */
        job = NULL;
    }
    if (job)
        return job;
    w->slot_runs = 0;
    job = deque_take(&w->deque);
    return job ? job : queue_take(w);
}

/* Whether there is nobody else who searches. */
static bool
search_end(struct worker *w)
{
    w->searching = false;
    return atomic_fetch_sub(&fm__pool.searching, 1) == 1;
}

/* Before it runs somebody's code: there may be more to find. */
static inline void
search_over(struct worker *w)
{
    if (unlikely(w->searching) && search_end(w) && pool_has_work())
        fm__pool_notify();
}

static void
worker_serve(struct worker *w)
{
    if (!fm_abi_reactor_sleep(w->reactor, 0))
        return;
    search_over(w);
    fm_abi_reactor_serve(w->reactor);
}

/* Every so many jobs: to the reactor, and to the queue of all. So many that
 * it comes to LOOK_NS or less, TICKS at most. */
__attribute__((noinline)) static void
worker_look(struct worker *w)
{
    int64_t now = fm_now(), took = now - w->looked;
    fm_job *job;

    if (took > LOOK_NS)
        w->interval = (uint32_t)(w->interval * LOOK_NS / took) + 1;
    else if (w->interval < TICKS)
        w->interval++;
    w->left = w->interval;
    w->looked = now;
    worker_serve(w);
    job = queue_take(w);
    if (job)
        put_last(w, job);
}

static void
worker_run(struct worker *w, fm_job *job)
{
    search_over(w);
    fm__store(&w->ticks, fm__load(&w->ticks) + 1);
    fm_job_run(job);
    if (unlikely(w->left-- == 0))
        worker_look(w);
}

/* ---- searching -------------------------------------------------------- */

/* From the next one on in a random order: so thieves do not go in a row. */
static fm_job *
steal(struct worker *w)
{
    unsigned n = atomic_load(&fm__pool.begun);
    unsigned at = (w->random = w->random * 1664525u + 1013904223u) >> 16;

    for (unsigned i = 0; i < n; i++) {
        struct worker *v = fm__load_acquire(&fm__pool.workers[(at + i) % n]);
        fm_job *job;
        if (!v || v == w || !(job = deque_take(&v->deque)))
            continue;
        fm__store(&w->steals, fm__load(&w->steals) + 1);
        return job;
    }
    return queue_take(w);
}

/* At most half of the workers search at once; a search is short, as a CPU that
 * others want is lost to them meanwhile. */
static fm_job *
search(struct worker *w)
{
    fm_job *job = NULL;

    if (!w->searching) {
        if (2 * atomic_load(&fm__pool.searching) >= fm__pool.size)
            return NULL;
        atomic_fetch_add(&fm__pool.searching, 1);
        w->searching = true;
    }
    for (int round = 0; round < ROUNDS && !job; round++) {
        job = steal(w);
        if (!job)
            fm__sys_pause();
    }
    return job;
}

/* ---- the watch -------------------------------------------------------- */

/* This one works from here on: if another is spare, one must watch. */
static void
watch_ensure(void)
{
    struct worker *w;

    if (fm__load(&fm__pool.watching) || fm__load(&fm__pool.spare) == 0)
        return;
    lock_take(&fm__pool.lock);
    w = fm__pool.idle;
    if (!w) {
        atomic_fetch_add(&fm__pool.searching, 1);
        wake_and_unlock(); /* begins one, which then parks */
        return;
    }
    lock_give(&fm__pool.lock);
    fm_abi_reactor_wake(w->reactor);
}

/* What came for v, which is at the same job still. */
static void
watch_serve(struct worker *w, struct worker *v)
{
    fm_job *job = slot_take(v);

    if (job)
        put_last(w, job);
    fm_abi_reactor_serve_other(v->reactor);
}

bool
fm__worker_is_idle(struct worker *w)
{
    bool idle;

    lock_take(&fm__pool.lock);
    idle = w->idle;
    lock_give(&fm__pool.lock);
    return idle;
}

/* Returns one who is at the same job as when this last looked, and tells
 * whether anybody works. */
static struct worker *
watch_look(struct worker *w, bool *works)
{
    unsigned n = atomic_load(&fm__pool.begun);
    unsigned at = w->random++; /* each has its turn */
    struct worker *found = NULL;

    *works = false;
    for (unsigned i = 0; i < n; i++) {
        struct worker *v = fm__load_acquire(&fm__pool.workers[(at + i) % n]);
        uint32_t ticks;
        bool same;
        if (!v || v == w)
            continue;
        ticks = fm__load(&v->ticks);
        same = ticks == v->seen;
        v->seen = ticks;
        if (fm__worker_is_idle(v))
            same = false;
        else
            *works = true;
        if (same && !found)
            found = v;
    }
    return found;
}

/* ---- parking ---------------------------------------------------------- */

static void
idle_enter(struct worker *w)
{
    lock_take(&fm__pool.lock);
    w->idle = true;
    w->next = fm__pool.idle;
    fm__pool.idle = w;
    atomic_fetch_add(&fm__pool.spare, 1);
    lock_give(&fm__pool.lock);
}

/* If it was woken to search, it is one of those already. */
static void
idle_leave(struct worker *w)
{
    lock_take(&fm__pool.lock);
    if (w->idle) {
        struct worker **at = &fm__pool.idle;
        while (*at != w)
            at = &(*at)->next;
        *at = w->next;
        w->idle = false;
        atomic_fetch_sub(&fm__pool.spare, 1);
    }
    w->searching |= w->woken;
    w->woken = false;
    lock_give(&fm__pool.lock);
}

static void
worker_goes_on(void)
{
    atomic_fetch_add(&fm__pool.epoch, 1);
    watch_ensure();
}

/* Something came for the reactor: that first. */
static void
worker_wakes(struct worker *w)
{
    search_over(w);
    worker_goes_on();
    fm_abi_reactor_serve(w->reactor);
}

static bool
watch_begin(void)
{
    uint32_t none = 0;

    return atomic_load(&fm__pool.begun) > 1 &&
           atomic_load(&fm__pool.spare) < fm__pool.size &&
           atomic_compare_exchange_strong(&fm__pool.watching, &none, 1);
}

/* One turn of the watch; false: it is over. *some: the reactor has something;
 * *stuck: somebody is to be served. */
static bool
watch_turn(struct worker *w, bool *some, struct worker **stuck)
{
    int64_t begun = fm_now();
    bool works;

    *some = fm_abi_reactor_sleep(w->reactor, WATCH_NS);
    if (*some || fm_now() - begun < WATCH_NS || atomic_load(&fm__pool.stop))
        return false;
    *stuck = watch_look(w, &works);
    if (*stuck)
        return false;
    w->quiet = works ? 0 : w->quiet + 1;
    return w->quiet < QUIET_LOOKS;
}

/* Sleeps, watching or not. Returns whether the reactor has something. */
static bool
worker_sleep(struct worker *w, struct worker **stuck)
{
    bool some;

    if (!watch_begin())
        return fm_abi_reactor_sleep(w->reactor, -1);
    w->quiet = 0;
    while (watch_turn(w, &some, stuck))
        continue;
    atomic_store(&fm__pool.watching, 0);
    return some;
}

static void
worker_park(struct worker *w)
{
    struct worker *stuck = NULL;
    bool some = false;

    idle_enter(w);
    if (w->searching)
        search_end(w);
    fm__store(&w->parks, fm__load(&w->parks) + 1);
    if (!pool_has_work() && !atomic_load(&fm__pool.stop))
        some = worker_sleep(w, &stuck);
    idle_leave(w);
    if (some)
        worker_wakes(w);
    else if (w->searching)
        worker_goes_on();
    else if (stuck)
        watch_serve(w, stuck);
}

/* ---- a worker --------------------------------------------------------- */

void
fm__worker_loop(struct worker *w)
{
    fm_job *job;

    w->stack = __builtin_frame_address(0);
    worker_goes_on();
    while (!atomic_load(&fm__pool.stop)) {
        job = own_next(w);
        if (!job) {
            worker_serve(w);
            job = own_next(w);
        }
        if (!job)
            job = search(w);
        if (job)
            worker_run(w, job);
        else
            worker_park(w);
    }
    if (w->searching)
        search_end(w);
}

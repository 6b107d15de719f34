/* lane.c: calls that block, on threads of their own.
 *
 * Why not libuv's thread pool: it has one queue for files and names, so that
 * four slow lookups stop every read, and its completions arrive on the thread
 * of one loop, where a task of the pool may not be any more. docs/notes/
 * lanes.md weighs it.
 */
#include <errno.h>
#include <io/lane.h>
#include <io/loop.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define IDLE_MS 5000 /* then a thread without work ends */

struct fm__lane fm__lane_calls = {
    .name = "fermata-calls",
    .variable = "FERMATA_BLOCKING",
    .most = 64,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
};
struct fm__lane fm__lane_files = {
    .name = "fermata-files",
    .variable = "FERMATA_FILES",
    .most = 8,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
};
struct fm__lane fm__lane_names = {
    .name = "fermata-names",
    .variable = "FERMATA_NAMES",
    .most = 8,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
};

/* ---- the lane's threads ---- */

static void
append(struct fm__lane *lane, struct fm__errand *e)
{
    e->next = NULL;
    e->state = ERRAND_QUEUED;
    if (lane->last)
        lane->last->next = e;
    else
        lane->first = e;
    lane->last = e;
    lane->queued++;
}

static long
idle_ms(void)
{
    static atomic_long ms;
    const char *text = getenv("FERMATA_IDLE_MS");

    if (!atomic_load_explicit(&ms, memory_order_relaxed))
        atomic_store_explicit(&ms,
                              text && atol(text) > 0 ? atol(text) : IDLE_MS,
                              memory_order_relaxed);
    return atomic_load_explicit(&ms, memory_order_relaxed);
}

/* Waits for work, under the lock. Null: there was none for long. */
static struct fm__errand *
take(struct fm__lane *lane)
{
    struct timespec end;
    int error = 0;

    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += idle_ms() / 1000;
    end.tv_nsec += idle_ms() % 1000 * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    lane->waiting++;
    while (!lane->first && !error)
        error = pthread_cond_clockwait(&lane->work, &lane->lock,
                                       CLOCK_MONOTONIC, &end);
    lane->waiting--;
    struct fm__errand *e = lane->first;
    if (!e)
        return NULL;
    lane->first = e->next;
    if (!lane->first)
        lane->last = NULL;
    lane->queued--;
    e->state = ERRAND_RUNS;
    return e;
}

/* It has run; under the lock, which is given for a while. */
static void
deliver(struct fm__lane *lane, struct fm__errand *e)
{
    bool left = e->state == ERRAND_LEFT;

    e->state = ERRAND_OVER;
    pthread_mutex_unlock(&lane->lock);
    if (left) {
        e->drop(e);
    } else {
        fm__loop_wait_over(e->at);
        fm_resume_later(e->waiter); /* e ends with its wait */
    }
    pthread_mutex_lock(&lane->lock);
}

static void
call_ended_thread(void *arg)
{
    (void)arg;
    fm__loop_die_of("a call of fm_blocking has ended its thread, which is the "
                    "library's: who awaits it would wait for ever");
}

static void
run(struct fm__errand *e)
{
    pthread_cleanup_push(call_ended_thread, NULL);
    e->run(e);
    pthread_cleanup_pop(0);
}

static void *
work(void *arg)
{
    struct fm__lane *lane = arg;
    struct fm__errand *e;

    pthread_setname_np(pthread_self(), lane->name);
    pthread_mutex_lock(&lane->lock);
    while ((e = take(lane))) {
        pthread_mutex_unlock(&lane->lock);
        run(e);
        pthread_mutex_lock(&lane->lock);
        deliver(lane, e);
    }
    lane->threads--;
    pthread_mutex_unlock(&lane->lock);
    return NULL;
}

static unsigned
most(struct fm__lane *lane)
{
    const char *text = getenv(lane->variable);

    if (text && atoi(text) > 0)
        lane->most = (unsigned)atoi(text);
    lane->variable = "";
    return lane->most;
}

/* One more, under the lock. The program's signals go to the program's
 * threads. False: there can be none. */
static bool
spawn(struct fm__lane *lane)
{
    sigset_t all, old;
    pthread_t thread;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&thread, NULL, work, lane);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error)
        return false;
    pthread_detach(thread);
    lane->threads++;
    return true;
}

/* ---- who waits ---- */

struct wait {
    struct fm__lane *lane;
    struct fm__errand *errand;
    bool left; /* given up while it ran */
};

/* No thread can be made: it runs here, late is better than never. Under the
 * lock, which is given for a while. */
static void
run_here(struct fm__lane *lane)
{
    struct fm__errand *e = take(lane);

    pthread_mutex_unlock(&lane->lock);
    e->run(e);
    pthread_mutex_lock(&lane->lock);
    deliver(lane, e);
}

static void
arm(fm_waiter *waiter, void *arg)
{
    struct wait *w = arg;
    struct fm__lane *lane = w->lane;
    struct fm__errand *e = w->errand;

    e->waiter = waiter;
    e->at = fm__loop_to_wait();
    fm__loop_check();
    fm__loop_wait_begin(e->at);
    pthread_mutex_lock(&lane->lock);
    append(lane, e);
    if (lane->queued <= lane->waiting)
        pthread_cond_signal(&lane->work);
    else if (lane->threads < most(lane) && !spawn(lane) && !lane->threads)
        run_here(lane);
    pthread_mutex_unlock(&lane->lock);
}

static void
unqueue(struct fm__lane *lane, struct fm__errand *e)
{
    struct fm__errand *before = NULL;

    for (struct fm__errand *i = lane->first; i != e; i = i->next)
        before = i;
    if (before)
        before->next = e->next;
    else
        lane->first = e->next;
    if (!e->next)
        lane->last = before;
    lane->queued--;
}

static bool
disarm(fm_waiter *waiter, void *arg)
{
    struct wait *w = arg;
    struct fm__errand *e = w->errand;
    struct fm__loop *at = e->at;
    bool given_up = false;

    (void)waiter;
    pthread_mutex_lock(&w->lane->lock);
    if (e->state == ERRAND_QUEUED) {
        unqueue(w->lane, e);
        given_up = true;
    } else if (e->state == ERRAND_RUNS && e->drop) {
        e->state = ERRAND_LEFT;
        given_up = w->left = true;
    }
    pthread_mutex_unlock(&w->lane->lock);
    if (given_up)
        fm__loop_wait_over(at);
    return given_up;
}

fm_async enum fm__ran
fm__lane_run(struct fm__lane *lane, struct fm__errand *e)
{
    struct wait w = {lane, e, false};

    if (fm_await fm_suspend_until(arm, disarm, &w))
        return FM__RAN;
    return w.left ? FM__LEFT_RUNNING : FM__NOT_RUN;
}

/* ---- counts ---- */

void
fm_abi_lanes(size_t *queued, size_t *running)
{
    struct fm__lane *const lanes[] = {&fm__lane_calls, &fm__lane_files,
                                      &fm__lane_names};
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lanes[i]->lock);
        queued[i] = lanes[i]->queued;
        running[i] = lanes[i]->threads - lanes[i]->waiting;
        pthread_mutex_unlock(&lanes[i]->lock);
    }
}

/* ---- after a fork ---- */

static void
restart(struct fm__lane *lane)
{
    static const pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

    lane->lock = mutex;
    lane->work = cond;
    lane->threads = lane->waiting = lane->queued = 0;
    lane->first = lane->last = NULL;
}

void
fm__lanes_after_fork(void)
{
    restart(&fm__lane_calls);
    restart(&fm__lane_files);
    restart(&fm__lane_names);
}

/* loop.c: FRONT DOOR: one thread's reactor, as an executor.
 *
 * Gives the executor's table, fm_now and fm_run_until_idle. Needs epoll and
 * the public executor interface only. A turn is: jobs, then timers and
 * events; see look_around. The trick: whoever posts from the loop's own
 * thread touches no atomic and makes no system call, and a wait for a
 * descriptor is armed by a store (descriptor.c): epoll is edge-triggered and
 * told once.
 */
#include "base/check.h"
#include "base/shuffle.h"
#include <errno.h>
#include <io/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define JOBS_A_TURN 256 /* then timers and events have their turn */
#define JOBS_A_LOOK 16  /* between two looks whether it is done */
#define NOTHING_LEFT_NS FM_MS(100)

#define GENERATION_SHIFT 48 /* user addresses have at most 48 bits */

_Thread_local struct fm__loop *fm__here;
_Thread_local unsigned fm__budget = FM__BUDGET;
atomic_bool fm__forked;

int64_t
fm_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void
fm__loop_die(const char *what)
{
    fprintf(stderr, "fermata: %s: %s\n", what, strerror(errno));
    abort();
}

void
fm__loop_die_of(const char *what)
{
    fprintf(stderr, "fermata: %s\n", what);
    abort();
}

void
fm__loop_die_forked(void)
{
    fprintf(stderr, "fermata: after a fork the child must exec, or call "
                    "fm_atfork_child before it uses the runtime\n");
    abort();
}

/* ---- the ready queue and the inbox ---- */

static void
append(struct fm__loop *l, fm_job *job)
{
    job->next = NULL;
    *l->ready.last = job;
    l->ready.last = &job->next;
}

/* Moves what others posted to the ready queue, oldest first. */
static void
take_inbox(struct fm__loop *l)
{
    /* acquire: pairs with the release in post */
    fm_job *job =
        atomic_exchange_explicit(&l->inbox, NULL, memory_order_acquire);
    fm_job *oldest = NULL;
    while (job) {
        fm_job *next = job->next;
        job->next = oldest;
        oldest = job;
        job = next;
    }
    oldest = fm__shuffle_jobs(oldest);
    while (oldest) {
        job = oldest;
        oldest = oldest->next;
        append(l, job);
    }
}

static fm_job *
take(struct fm__loop *l)
{
    if (!l->ready.first &&
        atomic_load_explicit(&l->inbox, memory_order_relaxed))
        take_inbox(l);
    fm_job *job = l->ready.first;
    if (job && !(l->ready.first = job->next))
        l->ready.last = &l->ready.first;
    return job;
}

void
fm__loop_wake(struct fm__loop *l)
{
    uint64_t one = 1;
    pthread_mutex_lock(&l->lock);
    if (!atomic_load_explicit(&l->dead, memory_order_relaxed) &&
        write(l->wake, &one, sizeof(one)) < 0 && errno != EAGAIN)
        fm__loop_die("a loop cannot be woken");
    pthread_mutex_unlock(&l->lock);
}

/* Somebody's task was woken, and nobody is there to run it: that is to be
 * heard of before main's end. Once, as there may be many. */
__attribute__((cold)) static void
say_dead(void)
{
    static atomic_bool said;
    if (!atomic_exchange(&said, true))
        fprintf(stderr, "fermata: a task was woken whose thread has ended, or "
                        "is the parent's after a fork; it "
                        "goes on only if another thread takes that loop over. "
                        "Let the thread wait for its tasks\n");
}

static void
post(void *arg, fm_job *job)
{
    struct fm__loop *l = arg;
    if (fm__here == l) {
        append(l, job);
        return;
    }
    fm_job *newest = atomic_load_explicit(&l->inbox, memory_order_relaxed);
    do
        job->next = newest;
    while (!atomic_compare_exchange_weak(&l->inbox, &newest, job));
    /* seq_cst on both sides: either park sees the job or we see parked. */
    if (atomic_load(&l->parked) && atomic_exchange(&l->parked, false))
        fm__loop_wake(l);
    else if (atomic_load_explicit(&l->dead, memory_order_relaxed))
        say_dead();
}

/* ---- one turn ---- */

static void
timers_lock(struct fm__loop *l)
{
    if (l->beside)
        pthread_mutex_lock(&l->timers_lock);
}

static void
timers_unlock(struct fm__loop *l)
{
    if (l->beside)
        pthread_mutex_unlock(&l->timers_lock);
}

/* How many are armed. */
static size_t
timers(struct fm__loop *l)
{
    timers_lock(l);
    size_t count = l->timers.count;
    timers_unlock(l);
    return count;
}

/* What may still happen here, seen from the loop's thread. */
size_t
fm__loop_left(struct fm__loop *l)
{
    size_t over = atomic_load_explicit(&l->waits_over, memory_order_relaxed);
    return timers(l) + (l->waits - over) + (l->ready.first != NULL) +
           (l->guest && l->guest_left) +
           (atomic_load_explicit(&l->inbox, memory_order_relaxed) != NULL);
}

/* Runs ready jobs, those that they post included, but not for ever: many short
 * drives in a row make one turn. Returns false when done says so. */
static bool
run_jobs(struct fm__loop *l, bool (*done)(void *), void *arg)
{
    size_t look = l->ready.taken + JOBS_A_LOOK;

    while ((ptrdiff_t)(l->turn_end - l->ready.taken) > 0) {
        fm_job *job = take(l);
        if (!job)
            break;
        l->ready.taken++;
        fm__budget = FM__BUDGET;
        fm_job_run(job); /* adds those that it took itself */
        if ((ptrdiff_t)(look - l->ready.taken) > 0)
            continue;
        if (done(arg))
            return false;
        look = l->ready.taken + JOBS_A_LOOK;
    }
    return !done(arg);
}

/* How long the loop may sleep now, in ns; -1 = until something happens. */
static int64_t
sleep_time(struct fm__loop *l)
{
    if (l->ready.first || atomic_load_explicit(&l->inbox, memory_order_relaxed))
        return 0;
    if (timers(l)) {
        timers_lock(l);
        int64_t next = fm__wheel_next(&l->timers), now = fm_now();
        timers_unlock(l);
        if (next != FM_FOREVER)
            return next > now ? next - now : 0;
    }
    if (!l->own_thread && !fm__loop_left(l))
        return NOTHING_LEFT_NS;
    return -1;
}

/* epoll_pwait2 sleeps to the nanosecond; where it is missing (Linux before
 * 5.11), to the millisecond, never short. */
static int
wait_events(struct fm__loop *l, struct epoll_event *events, int64_t ns)
{
#ifdef FM_MSAN /* which does not know that epoll_pwait2 writes */
    static atomic_bool coarse = true;
#else
    static atomic_bool coarse;
#endif
    if (ns > 0 && !atomic_load_explicit(&coarse, memory_order_relaxed)) {
        struct timespec ts = {ns / 1000000000, ns % 1000000000};
        int n = epoll_pwait2(l->poll, events, FM__EVENTS_A_TURN, &ts, NULL);
        if (n >= 0 || (errno != ENOSYS && errno != EPERM))
            return n;
        atomic_store_explicit(&coarse, true, memory_order_relaxed);
    }
    int64_t ms = ns <= 0 ? ns : ns / 1000000 + 1;
    return epoll_wait(l->poll, events, FM__EVENTS_A_TURN,
                      ms > INT32_MAX ? INT32_MAX : (int)ms);
}

/* Of two times to sleep; -1 = without end. */
static int64_t
sooner(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int
park(struct fm__loop *l, struct epoll_event *events, int64_t ns)
{
    atomic_store_explicit(&l->left, fm__loop_left(l), memory_order_relaxed);
    atomic_store(&l->parked, true);
    /* seq_cst: see post and timer_start */
    if (atomic_load(&l->inbox))
        ns = 0;
    else if (l->beside)
        ns = sooner(ns, sleep_time(l));
    int n = wait_events(l, events, ns);
    atomic_store_explicit(&l->parked, false, memory_order_relaxed);
    atomic_store_explicit(&l->left, SIZE_MAX, memory_order_relaxed);
    return n;
}

void
fm__loop_take_wake(struct fm__loop *l)
{
    uint64_t count;
    if (read(l->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
        fm__loop_die("a loop's eventfd cannot be read");
}

static void
hand_out(struct fm__loop *l, struct epoll_event *event)
{
    uint64_t data = event->data.u64;
    struct fm__watch *w =
        (void *)(uintptr_t)(data & ((UINT64_C(1) << GENERATION_SHIFT) - 1));
    if (w) {
        fm__budget = FM__BUDGET;
        w->ready(w, (uint16_t)(data >> GENERATION_SHIFT), event->events);
        return;
    }
    fm__loop_take_wake(l);
}

/* In check builds: what happened at once is told of in any order. */
static void
shuffle_events(struct epoll_event *events, int n)
{
    for (int i = 0; i + 1 < n; i++) {
        int other = i + (int)fm__shuffle((uint32_t)(n - i));
        struct epoll_event e = events[i];
        events[i] = events[other];
        events[other] = e;
    }
}

static void
recycle_given_up(struct fm__loop *l)
{
    while (l->given_up) {
        struct fm__watch *w = l->given_up;
        l->given_up = w->next;
        w->recycle(w);
    }
}

/* Brings the wheel to now, which is returned; 0 = there are no timers. */
static int64_t
advance(struct fm__loop *l)
{
    if (!timers(l))
        return 0;
    int64_t now = fm_now();
    timers_lock(l);
    fm__wheel_advance(&l->timers, now);
    timers_unlock(l);
    return now;
}

static void
fire_due(struct fm__loop *l, int64_t now)
{
    for (unsigned n = 0; n < JOBS_A_TURN; n++) {
        timers_lock(l);
        fm_timer *t = fm__wheel_take(&l->timers, now);
        timers_unlock(l);
        if (!t)
            break;
        t->fire(t);
    }
}

int
fm__loop_sleep(struct fm__loop *l, struct epoll_event *events, int64_t most)
{
    fm__loop_check();
    int64_t ns = sooner(most, sleep_time(l));
    int n = 0;
    if (ns)
        n = park(l, events, ns);
    else if (fm__loop_left(l) - timers(l))
        n = wait_events(l, events, 0);
    if (n < 0 && errno != EINTR)
        fm__loop_die("epoll_wait");
    return n;
}

/* Events before timers: data that came together with its deadline wins. */
void
fm__loop_serve(struct fm__loop *l, struct epoll_event *events, int n)
{
    unsigned life = l->life;
    int64_t now = advance(l);
    shuffle_events(events, n);
    l->handing_out = true;
    for (int i = 0; i < n && l->life == life; i++)
        hand_out(l, &events[i]);
    l->handing_out = false;
    recycle_given_up(l);
    if (now)
        fire_due(l, now);
    /* Jobs from others that came meanwhile, behind our own. */
    if (atomic_load_explicit(&l->inbox, memory_order_relaxed))
        take_inbox(l);
    l->turn_end = l->ready.taken + JOBS_A_TURN;
}

static bool
never(void *arg)
{
    (void)arg;
    return false;
}

static void
look_around(struct fm__loop *l)
{
    struct epoll_event events[FM__EVENTS_A_TURN];
    int64_t most = l->guest ? fm__loop_guest_turn(l) : -1;
    fm__loop_serve(l, events, fm__loop_sleep(l, events, most));
}

/* Looks at the descriptors whatever else there is: the eventfd, too, must be
 * read, or who polls our set finds it ready for ever. */
int64_t
fm__loop_turn(struct fm__loop *l)
{
    struct epoll_event events[FM__EVENTS_A_TURN];
    fm__loop_check();
    l->driving++;
    atomic_store_explicit(&l->parked, false, memory_order_relaxed);
    atomic_store_explicit(&l->left, SIZE_MAX, memory_order_relaxed);
    run_jobs(l, never, NULL);
    int n = wait_events(l, events, 0);
    if (n < 0 && errno != EINTR)
        fm__loop_die("epoll_wait");
    fm__loop_serve(l, events, n);
    run_jobs(l, never, NULL);
    l->driving--;
    atomic_store_explicit(&l->left, fm__loop_left(l), memory_order_relaxed);
    atomic_store(&l->parked, true); /* seq_cst: see post */
    if (l->ready.first || atomic_load(&l->inbox))
        return 0;
    if (!fm__loop_left(l))
        return -1;
    int64_t ns = sleep_time(l);
    return ns < 0 ? FM_FOREVER : ns;
}

bool
fm__loop_is_due(struct fm__loop *l)
{
    return sleep_time(l) == 0;
}

void
fm__loop_jobs(struct fm__loop *l)
{
    if (l->ready.first)
        run_jobs(l, never, NULL);
}

/* Both loops' locks are free while anybody's code runs. What wakes l itself is
 * left to it: it may be about to sleep. */
void
fm__loop_serve_other(struct fm__loop *l)
{
    struct epoll_event events[FM__EVENTS_A_TURN];
    struct fm__loop *here = fm__here;
    int n = 0;
    pthread_mutex_lock(&l->lock);
    if (!atomic_load_explicit(&l->dead, memory_order_relaxed))
        n = wait_events(l, events, 0);
    pthread_mutex_unlock(&l->lock);
    int64_t now = advance(l);
    here->handing_out = true;
    for (int i = 0; i < n; i++)
        if (events[i].data.u64)
            hand_out(l, &events[i]);
    here->handing_out = false;
    recycle_given_up(here);
    if (now)
        fire_due(l, now);
}

void
fm__loop_drive(void *arg, bool (*done)(void *), void *done_arg)
{
    struct fm__loop *l = arg;
    fm__loop_check();
    l->driving++;
    atomic_store_explicit(&l->left, SIZE_MAX, memory_order_relaxed);
    while (run_jobs(l, done, done_arg))
        look_around(l);
    l->driving--;
    atomic_store_explicit(&l->left, fm__loop_left(l), memory_order_relaxed);
}

/* ---- the rest of the executor ---- */

static bool
is_current(void *arg)
{
    return fm__here == arg;
}

void
fm__loop_timer_start(void *arg, fm_timer *t)
{
    struct fm__loop *l = arg;
    timers_lock(l);
    fm__wheel_start(&l->timers, t);
    timers_unlock(l);
    /* seq_cst, as in post: its thread may sleep for longer than that. */
    if (l->beside && fm__here != l && atomic_load(&l->parked) &&
        atomic_exchange(&l->parked, false))
        fm__loop_wake(l);
}

bool
fm__loop_timer_stop(void *arg, fm_timer *t)
{
    struct fm__loop *l = arg;
    timers_lock(l);
    bool armed = fm__wheel_stop(&l->timers, t);
    timers_unlock(l);
    return armed;
}

static size_t
pending(void *arg)
{
    struct fm__loop *l = arg;
    if (fm__here == l)
        return fm__loop_left(l);
    if (atomic_load_explicit(&l->dead, memory_order_relaxed))
        return 0; /* what is left there waits for nobody */
    return atomic_load_explicit(&l->left, memory_order_relaxed) +
           (atomic_load_explicit(&l->inbox, memory_order_relaxed) != NULL);
}

const fm_executor_vtable fm__loop_vtable = {
    post,
    is_current,
    fm__loop_drive,
    fm__loop_timer_start,
    fm__loop_timer_stop,
    pending,
    fm__loop_free,
};

int
fm__loop_control(struct fm__loop *l, int op, int fd, struct fm__watch *w,
                 uint16_t generation, uint32_t events)
{
    struct epoll_event event = {.events = events};
    int error = EBADF;
    fm__loop_check();
    event.data.u64 = (uint64_t)(uintptr_t)w | (uint64_t)generation
                                                  << GENERATION_SHIFT;
    pthread_mutex_lock(&l->lock);
    if (!atomic_load_explicit(&l->dead, memory_order_relaxed))
        error = epoll_ctl(l->poll, op, fd, &event) ? errno : 0;
    pthread_mutex_unlock(&l->lock);
    return error;
}

static bool
idle(void *arg)
{
    return !fm__loop_left(arg);
}

void
fm_run_until_idle(void)
{
    struct fm__loop *l = fm__loop_here();
    if (l->driving || fm_self()) {
        fprintf(stderr, "fermata: fm_run_until_idle was called by a task of "
                        "the loop that it would have to run\n");
        abort();
    }
    fm__loop_drive(l, idle, l);
}

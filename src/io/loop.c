/* loop.c: FRONT DOOR: one thread's reactor, as an executor.
 *
 * Gives fm_loop, fm_loop_new, fm_run_until_idle, fm_now. Needs epoll and the
 * public executor interface only. A turn is: jobs, then timers and events;
 * see turn(). The trick: whoever posts from the loop's own thread touches no
 * atomic and makes no system call, and a wait for a descriptor is armed by a
 * store (descriptor.c): epoll is edge-triggered and told once.
 */
#include <errno.h>
#include <io/loop.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define JOBS_A_TURN 256  /* then timers and events have their turn */
#define JOBS_A_LOOK 16   /* between two looks whether it is done */
#define EVENTS_A_TURN 128
#define NOTHING_LEFT_NS FM_MS(100)

#define GENERATION_SHIFT 48 /* user addresses have at most 48 bits */

_Thread_local struct fm__loop *fm__here;
_Thread_local unsigned fm__budget = FM__BUDGET;
static pthread_key_t here_key;
static pthread_once_t here_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fm__loop *free_loops; /* of ended threads, for new ones */
static struct fm__loop *left_loops; /* of ended threads, with something left */

int64_t
fm_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* In the child of a fork: its loops are the parent's. */
static atomic_bool forked;

__attribute__((cold)) static void
die_forked(void)
{
    fprintf(stderr, "fermata: after a fork the child must exec, or call "
                    "fm_atfork_child before it uses the runtime\n");
    abort();
}

static inline void
check_not_forked(void)
{
    if (atomic_load_explicit(&forked, memory_order_relaxed))
        die_forked();
}

static void
die(const char *what)
{
    fprintf(stderr, "fermata: %s: %s\n", what, strerror(errno));
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

static void
wake(struct fm__loop *l)
{
    uint64_t one = 1;
    pthread_mutex_lock(&l->lock);
    if (!atomic_load_explicit(&l->dead, memory_order_relaxed) &&
        write(l->wake, &one, sizeof(one)) < 0 && errno != EAGAIN)
        die("a loop cannot be woken");
    pthread_mutex_unlock(&l->lock);
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
        wake(l);
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
static size_t
left(struct fm__loop *l)
{
    size_t over = atomic_load_explicit(&l->waits_over, memory_order_relaxed);
    return timers(l) + (l->waits - over) + (l->ready.first != NULL) +
           (atomic_load_explicit(&l->inbox, memory_order_relaxed) != NULL);
}

/* Runs ready jobs, those that they post included, but not for ever. Returns
 * false when done says so. */
static bool
run_jobs(struct fm__loop *l, bool (*done)(void *), void *arg)
{
    size_t end = l->ready.taken + JOBS_A_TURN;
    size_t look = l->ready.taken + JOBS_A_LOOK;

    while ((ptrdiff_t)(end - l->ready.taken) > 0) {
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
    if (!l->own_thread && !left(l))
        return NOTHING_LEFT_NS;
    return -1;
}

/* epoll_pwait2 sleeps to the nanosecond; where it is missing (Linux before
 * 5.11), to the millisecond, never short. */
static int
wait_events(struct fm__loop *l, struct epoll_event *events, int64_t ns)
{
    static atomic_bool coarse;
    if (ns > 0 && !atomic_load_explicit(&coarse, memory_order_relaxed)) {
        struct timespec ts = {ns / 1000000000, ns % 1000000000};
        int n = epoll_pwait2(l->poll, events, EVENTS_A_TURN, &ts, NULL);
        if (n >= 0 || (errno != ENOSYS && errno != EPERM))
            return n;
        atomic_store_explicit(&coarse, true, memory_order_relaxed);
    }
    int64_t ms = ns <= 0 ? ns : ns / 1000000 + 1;
    return epoll_wait(l->poll, events, EVENTS_A_TURN,
                      ms > INT32_MAX ? INT32_MAX : (int)ms);
}

static int
park(struct fm__loop *l, struct epoll_event *events, int64_t ns)
{
    atomic_store_explicit(&l->left, left(l), memory_order_relaxed);
    atomic_store(&l->parked, true);
    /* seq_cst: see post and timer_start */
    if (atomic_load(&l->inbox))
        ns = 0;
    else if (l->beside)
        ns = sleep_time(l);
    int n = wait_events(l, events, ns);
    atomic_store_explicit(&l->parked, false, memory_order_relaxed);
    atomic_store_explicit(&l->left, SIZE_MAX, memory_order_relaxed);
    return n;
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
    uint64_t count;
    if (read(l->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
        die("a loop's eventfd cannot be read");
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

/* Events before timers: data that came together with its deadline wins. */
static void
look_around(struct fm__loop *l)
{
    struct epoll_event events[EVENTS_A_TURN];
    check_not_forked();
    int64_t ns = sleep_time(l);
    unsigned life = l->life;
    int n = 0;
    if (ns)
        n = park(l, events, ns);
    else if (left(l) - timers(l))
        n = wait_events(l, events, 0);
    if (n < 0 && errno != EINTR)
        die("epoll_wait");
    int64_t now = advance(l);
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
}

static void
drive(void *arg, bool (*done)(void *), void *done_arg)
{
    struct fm__loop *l = arg;
    check_not_forked();
    l->driving++;
    atomic_store_explicit(&l->left, SIZE_MAX, memory_order_relaxed);
    while (run_jobs(l, done, done_arg))
        look_around(l);
    l->driving--;
    atomic_store_explicit(&l->left, left(l), memory_order_relaxed);
}

/* ---- the rest of the executor ---- */

static bool
is_current(void *arg)
{
    return fm__here == arg;
}

static void
timer_start(void *arg, fm_timer *t)
{
    struct fm__loop *l = arg;
    timers_lock(l);
    fm__wheel_start(&l->timers, t);
    timers_unlock(l);
    /* seq_cst, as in post: its thread may sleep for longer than that. */
    if (l->beside && fm__here != l && atomic_load(&l->parked) &&
        atomic_exchange(&l->parked, false))
        wake(l);
}

static bool
timer_stop(void *arg, fm_timer *t)
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
        return left(l);
    return atomic_load_explicit(&l->left, memory_order_relaxed) +
           (atomic_load_explicit(&l->inbox, memory_order_relaxed) != NULL);
}

static bool
stopped(void *arg)
{
    struct fm__loop *l = arg;
    return atomic_load_explicit(&l->stop, memory_order_relaxed);
}

static void loop_retire(void *arg);

/* The executor is freed after this: the loop's memory gets another if it is
 * used again. A thread's own loop ends with its thread, not here. */
static void
free_loop(void *arg)
{
    struct fm__loop *l = arg;
    if (!l->own_thread)
        return;
    atomic_store(&l->stop, true);
    wake(l);
    pthread_join(l->thread, NULL);
    l->executor = NULL;
    loop_retire(l);
}

static const fm_executor_vtable loop_vtable = {
    post, is_current, drive, timer_start, timer_stop, pending, free_loop,
};

/* ---- making and ending ---- */

int
fm__loop_control(struct fm__loop *l, int op, int fd, struct fm__watch *w,
                 uint16_t generation, uint32_t events)
{
    struct epoll_event event = {.events = events};
    int error = EBADF;
    check_not_forked();
    event.data.u64 = (uint64_t)(uintptr_t)w | (uint64_t)generation
                                                  << GENERATION_SHIFT;
    pthread_mutex_lock(&l->lock);
    if (!atomic_load_explicit(&l->dead, memory_order_relaxed))
        error = epoll_ctl(l->poll, op, fd, &event) ? errno : 0;
    pthread_mutex_unlock(&l->lock);
    return error;
}

/* The thread ends. Chains that are suspended here may still be woken, so the
 * memory stays; the next thread that needs a loop takes it over, with what is
 * then posted to it, unless something was left in it. */
static void
loop_retire(void *arg)
{
    struct fm__loop *l = arg;
    pthread_mutex_lock(&l->lock);
    atomic_store_explicit(&l->dead, true, memory_order_relaxed);
    close(l->poll);
    close(l->wake);
    pthread_mutex_unlock(&l->lock);
    if (fm__here == l)
        fm__here = NULL;
    pthread_mutex_lock(&free_lock);
    struct fm__loop **list = left(l) ? &left_loops : &free_loops;
    l->free = *list;
    *list = l;
    pthread_mutex_unlock(&free_lock);
}

static void
note_fork(void)
{
    atomic_store(&forked, true);
}

static void
make_key(void)
{
    if (pthread_key_create(&here_key, loop_retire) ||
        pthread_atfork(NULL, NULL, note_fork))
        die("no thread key");
}

/* Opens a loop's descriptors. False with errno if there are none. */
static bool
loop_open(struct fm__loop *l)
{
    struct epoll_event event = {.events = EPOLLIN};
    int poll = epoll_create1(EPOLL_CLOEXEC);
    int event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (poll < 0 || event_fd < 0 ||
        epoll_ctl(poll, EPOLL_CTL_ADD, event_fd, &event)) {
        int error = errno;
        if (poll >= 0)
            close(poll);
        if (event_fd >= 0)
            close(event_fd);
        errno = error;
        return false;
    }
    pthread_mutex_lock(&l->lock);
    l->poll = poll;
    l->wake = event_fd;
    l->life++;
    atomic_store_explicit(&l->dead, false, memory_order_relaxed);
    pthread_mutex_unlock(&l->lock);
    return true;
}

static void
loop_release(struct fm__loop *l)
{
    pthread_mutex_lock(&free_lock);
    l->free = free_loops;
    free_loops = l;
    pthread_mutex_unlock(&free_lock);
}

static struct fm__loop *
loop_alloc(void)
{
    pthread_mutex_lock(&free_lock);
    struct fm__loop *l = free_loops;
    if (l)
        free_loops = l->free;
    pthread_mutex_unlock(&free_lock);
    if (!l && (l = aligned_alloc(64, (sizeof(*l) + 63) / 64 * 64))) {
        memset(l, 0, sizeof(*l));
        l->ready.last = &l->ready.first;
        pthread_mutex_init(&l->lock, NULL);
        pthread_mutex_init(&l->timers_lock, NULL);
        atomic_store(&l->dead, true);
    }
    if (l && !l->executor && (l->executor = fm_executor_new(&loop_vtable, l)))
        fm_executor_show(l->executor, &l->ready);
    if (l && l->executor)
        return l;
    if (l)
        loop_release(l);
    errno = ENOMEM;
    return NULL;
}

static struct fm__loop *
loop_make(void)
{
    pthread_once(&here_once, make_key);
    check_not_forked();
    struct fm__loop *l = loop_alloc();
    if (!l || loop_open(l))
        return l;
    int error = errno;
    loop_release(l);
    errno = error;
    return NULL;
}

struct fm__loop *
fm__loop_here(void)
{
    if (fm__here)
        return fm__here;
    struct fm__loop *l = loop_make();
    if (!l)
        die("this thread cannot have a loop");
    l->own_thread = l->beside = false;
    pthread_setspecific(here_key, l);
    return fm__here = l;
}

fm_executor *
fm_loop(void)
{
    return fm__loop_here()->executor;
}

static void *
loop_thread(void *arg)
{
    struct fm__loop *l = arg;
    pthread_setname_np(pthread_self(), "fermata-loop");
    fm__here = l;
    drive(l, stopped, l);
    return NULL;
}

/* Null with errno. */
static struct fm__loop *
loop_spawn(bool beside)
{
    struct fm__loop *l = loop_make();
    sigset_t all, old;
    if (!l)
        return NULL;
    l->own_thread = true;
    l->beside = beside;
    atomic_store(&l->stop, false);
    /* The program's signals go to the program's threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&l->thread, NULL, loop_thread, l);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!error)
        return l;
    loop_retire(l);
    errno = error;
    return NULL;
}

fm_executor *
fm_loop_new(void)
{
    struct fm__loop *l = loop_spawn(false);
    return l ? l->executor : NULL;
}

/* ---- the loop beside ----
 *
 * A user's executor may know nothing of timers and descriptors, and nobody
 * may drive the loop of its thread. What its tasks wait for is watched by one
 * loop on a thread of its own; a wake is posted to the executor as any. */

static pthread_once_t beside_once = PTHREAD_ONCE_INIT;
static struct fm__loop *beside;

static void
make_beside(void)
{
    beside = loop_spawn(true);
    if (!beside)
        die("no loop for an executor without timers");
}

static struct fm__loop *
loop_beside(void)
{
    pthread_once(&beside_once, make_beside);
    return beside;
}

fm_executor *
fm_abi_loop_beside(void)
{
    return loop_beside()->executor;
}

struct fm__loop *
fm__loop_to_wait(void)
{
    if (fm__here && fm__here->driving)
        return fm__here;
    fm_executor *self = fm_executor_self();
    return fm__here && fm__here->executor == self ? fm__here : loop_beside();
}

static bool
idle(void *arg)
{
    return !left(arg);
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
    drive(l, idle, l);
}

/* ---- after a fork ----
 *
 * The child has one thread. Its loop starts anew in the same memory, so that
 * the task that forked goes on there; jobs, timers and waits of the parent are
 * forgotten, and so are the other threads' loops. Epoll's copies are closed
 * first: a change made through them would be the parent's. */

static void
loop_restart(struct fm__loop *l)
{
    close(l->poll);
    close(l->wake);
    l->ready.first = NULL;
    l->ready.last = &l->ready.first;
    memset(&l->timers, 0, sizeof(l->timers));
    l->waits = 0;
    l->given_up = NULL;
    atomic_store(&l->inbox, NULL);
    atomic_store(&l->parked, false);
    atomic_store(&l->waits_over, 0);
    pthread_mutex_init(&l->lock, NULL);
    pthread_mutex_init(&l->timers_lock, NULL);
    if (!loop_open(l))
        die("the child of a fork cannot have a loop");
}

void
fm_abi_loop_after_fork(void)
{
    static const pthread_mutex_t free_mutex = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_once_t not_once = PTHREAD_ONCE_INIT;
    if (!atomic_exchange(&forked, false))
        return;
    free_lock = free_mutex;
    beside_once = not_once;
    free_loops = left_loops = NULL;
    fm__descriptors_after_fork();
    if (fm__here)
        loop_restart(fm__here);
}

/* life.c: how loops begin and end: with a thread of the program's, with a
 * thread of their own, in the child of a fork.
 *
 * Gives fm_loop, fm_loop_new and the loop beside. A loop's memory is never
 * given back: chains that are suspended on it may still be woken.
 */
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <io/lane.h>
#include <io/loop.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static pthread_key_t here_key;
static pthread_once_t here_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fm__loop *free_loops; /* of ended threads, for new ones */
static struct fm__loop *left_loops; /* of ended threads, with something left */
static struct fm__loop *all_loops;

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
    struct fm__loop **list = fm__loop_left(l) ? &left_loops : &free_loops;
    l->free = *list;
    *list = l;
    pthread_mutex_unlock(&free_lock);
}

static bool
stopped(void *arg)
{
    struct fm__loop *l = arg;
    return atomic_load_explicit(&l->stop, memory_order_relaxed);
}

/* The executor is freed after this: the loop's memory gets another if it is
 * used again. A thread's own loop ends with its thread, not here. */
void
fm__loop_free(void *arg)
{
    struct fm__loop *l = arg;
    if (!l->own_thread)
        fm__loop_die_of("fm_executor_free: a thread's own loop ends with its "
                        "thread");
    if (pthread_equal(l->thread, pthread_self()))
        fm__loop_die_of("fm_executor_free: a loop cannot be freed on its own "
                        "thread; switch to another executor first");
    if (atomic_load(&l->dead)) /* its thread is the parent's: see below */
        return;
    if (!l->beside)
        fm_abi_executor_end(l->executor);
    atomic_store(&l->stop, true);
    fm__loop_wake(l);
    pthread_join(l->thread, NULL);
    l->executor = NULL;
    loop_retire(l);
}

static void
note_fork(void)
{
    atomic_store(&fm__forked, true);
}

static void
make_key(void)
{
    if (pthread_key_create(&here_key, loop_retire) ||
        pthread_atfork(NULL, NULL, note_fork))
        fm__loop_die("no thread key");
}

int
fm__off_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int higher = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int error = errno;
    close(fd);
    errno = error;
    return higher;
}

/* Opens a loop's descriptors. False with errno if there are none. */
static bool
loop_open(struct fm__loop *l)
{
    struct epoll_event event = {.events = EPOLLIN};
    int poll = fm__off_standard(epoll_create1(EPOLL_CLOEXEC));
    int event_fd = fm__off_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
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
    if (!l && (l = fm__sys_alloc_aligned(64, (sizeof(*l) + 63) / 64 * 64))) {
        memset(l, 0, sizeof(*l));
        l->ready.last = &l->ready.first;
        pthread_mutex_init(&l->lock, NULL);
        pthread_mutex_init(&l->timers_lock, NULL);
        atomic_store(&l->dead, true);
        pthread_mutex_lock(&free_lock);
        l->older = all_loops;
        all_loops = l;
        pthread_mutex_unlock(&free_lock);
    }
    if (l && !l->executor &&
        (l->executor = fm_executor_new(&fm__loop_vtable, l)))
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
    fm__loop_check();
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
        fm__loop_die("this thread cannot have a loop");
    l->own_thread = l->beside = false;
    pthread_setspecific(here_key, l);
    return fm__here = l;
}

struct fm__loop *
fm__loop_served_new(void)
{
    struct fm__loop *l = loop_make();
    if (!l)
        return NULL;
    l->own_thread = l->beside = true;
    l->driving = 1;
    l->thread = pthread_self();
    return fm__here = l;
}

void
fm__loop_served_free(struct fm__loop *l)
{
    l->driving = 0;
    loop_retire(l);
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
    fm__loop_drive(l, stopped, l);
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
        fm__loop_die("no loop for an executor without timers");
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

/* ---- after a fork ----
 *
 * The child has one thread. Its loop starts anew in the same memory, so that
 * the task that forked goes on there; jobs, timers and waits of the parent are
 * forgotten. The other threads' loops are dead: what is posted to them waits
 * for ever, as if their threads had ended. Epoll's copies are closed: a change
 * made through them would be the parent's. */

static void
loop_is_parents(struct fm__loop *l)
{
    pthread_mutex_init(&l->lock, NULL); /* its holder is not here */
    pthread_mutex_init(&l->timers_lock, NULL);
    if (atomic_exchange(&l->dead, true))
        return;
    close(l->poll);
    close(l->wake);
    atomic_store(&l->parked, false);
}

static void
loop_restart(struct fm__loop *l)
{
    close(l->poll);
    close(l->wake);
    l->ready.first = NULL;
    l->ready.last = &l->ready.first;
    memset(&l->timers, 0, sizeof(l->timers));
    l->waits = 0;
    l->guest = NULL;
    l->given_up = NULL;
    atomic_store(&l->inbox, NULL);
    atomic_store(&l->parked, false);
    atomic_store(&l->waits_over, 0);
    pthread_mutex_init(&l->lock, NULL);
    pthread_mutex_init(&l->timers_lock, NULL);
    if (!loop_open(l))
        fm__loop_die("the child of a fork cannot have a loop");
}

bool
fm_abi_loop_after_fork(void)
{
    static const pthread_mutex_t free_mutex = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_once_t not_once = PTHREAD_ONCE_INIT;
    if (!atomic_exchange(&fm__forked, false))
        return false;
    free_lock = free_mutex;
    beside_once = not_once;
    free_loops = left_loops = NULL;
    fm__descriptors_after_fork();
    fm__lanes_after_fork();
    fm__standard_after_fork();
    for (struct fm__loop *l = all_loops; l; l = l->older)
        if (l != fm__here)
            loop_is_parents(l);
    if (fm__here)
        loop_restart(fm__here);
    return true;
}

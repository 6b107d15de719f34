/* descriptor.c: who waits for a descriptor, and what wakes them?
 *
 * Gives the reading, writing and accepting operations their common shape:
 * try first, wait only when the kernel says EAGAIN, try again. Needs the
 * loop's epoll set. The trick: the set is edge-triggered and told once, so
 * to wait is a store and to be woken a load; an event that nobody waits for
 * is remembered in `ready`. A wake may be false (of an earlier use of the
 * memory, or of the other way): then the next try just says EAGAIN again.
 */
#include "base/memory.h"
#include <errno.h>
#include <io/descriptor.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* An operation that queues; in its frame. */
struct fm__turn {
    struct fm__turn *next;
    struct fm__side *side;
    fm_waiter *waiter;
};

static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fm__watch *free_descriptors;

/* ---- being told by epoll ---- */

static const uint32_t way_events[2] = {
    [FM__IN] = EPOLLIN | EPOLLRDHUP | EPOLLPRI,
    [FM__OUT] = EPOLLOUT,
};

static bool
is_watched_by(const struct fm__side *s, const struct fm__loop *l)
{
    return s->watcher == l && s->watcher_life == l->life;
}

static uint32_t
events_in(const struct fm__descriptor *d, const struct fm__loop *l)
{
    uint32_t events = 0;
    for (int way = 0; way < 2; way++)
        if (is_watched_by(&d->side[way], l))
            events |= way_events[way];
    return events;
}

/* The set of l gets what is left for it. */
static void
unwatch(struct fm__descriptor *d, struct fm__side *s)
{
    struct fm__loop *l = s->watcher;
    if (!l)
        return;
    s->watcher = NULL;
    uint32_t events = events_in(d, l);
    fm__loop_control(l, events ? EPOLL_CTL_MOD : EPOLL_CTL_DEL, d->fd,
                     &d->watch, d->generation, events | EPOLLET);
}

/* Moves this way to the set of l. Returns 0 or an errno value. */
static int
watch(struct fm__descriptor *d, struct fm__side *s, struct fm__loop *l)
{
    unwatch(d, s);
    bool other = events_in(d, l) != 0;
    s->watcher = l;
    s->watcher_life = l->life;
    int error =
        fm__loop_control(l, other ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, d->fd,
                         &d->watch, d->generation, events_in(d, l) | EPOLLET);
    if (error)
        s->watcher = NULL;
    return error;
}

/* Takes the waiter away; under the lock. */
static fm_waiter *
take_waiter(struct fm__side *s)
{
    fm_waiter *waiter = s->waiter;
    if (waiter) {
        s->waiter = NULL;
        fm__loop_wait_over(s->at);
    }
    return waiter;
}

static bool
is_stale(const struct fm__descriptor *d, uint16_t generation)
{
    return generation != d->generation || (d->side[FM__IN].state & FM__CLOSED);
}

__attribute__((noinline)) static void
any_event(struct fm__descriptor *d, uint16_t generation, uint32_t events)
{
    fm_waiter *woken[2] = {NULL, NULL};
    bool biased = fm__bias_lock(&d->lock);
    if (!is_stale(d, generation)) {
        if (events & ~(uint32_t)(EPOLLIN | EPOLLOUT))
            d->eager = true;
        for (int way = 0; way < 2; way++)
            if (events & (way_events[way] | EPOLLHUP | EPOLLERR)) {
                d->side[way].state |= FM__READY;
                woken[way] = take_waiter(&d->side[way]);
            }
    }
    fm__bias_unlock(&d->lock, biased);
    if (woken[FM__OUT])
        fm_resume(woken[FM__OUT]);
    if (woken[FM__IN])
        fm_resume(woken[FM__IN]);
}

/* The usual case in few steps: something to read, on the owner's thread,
 * and a task that waits for it. */
static void
event(struct fm__watch *w, uint16_t generation, uint32_t events)
{
    struct fm__descriptor *d = (struct fm__descriptor *)w;
    struct fm__side *s = &d->side[FM__IN];
    if (events != EPOLLIN || !fm__bias_enter(&d->lock)) {
        any_event(d, generation, events);
        return;
    }
    fm_waiter *woken = s->waiter;
    if (!woken || s->at != fm__here || is_stale(d, generation)) {
        fm__bias_unlock(&d->lock, true);
        any_event(d, generation, events);
        return;
    }
    s->waiter = NULL;
    s->at->waits--;
    s->state |= FM__READY;
    fm__bias_unlock(&d->lock, true);
    fm_resume(woken);
}

/* ---- waiting ---- */

/* Tells epoll; false: it could not be told. */
__attribute__((noinline)) static bool
watch_here(struct fm__side *s, struct fm__loop *l)
{
    s->failed = watch(s->of, s, l);
    if (s->failed)
        s->state |= FM__FAILED;
    return !s->failed;
}

__attribute__((noinline)) static void
arm_slow(fm_waiter *waiter, struct fm__side *s)
{
    struct fm__descriptor *d = s->of;
    struct fm__loop *l = fm__loop_to_wait();
    bool biased = fm__bias_lock(&d->lock);
    if (!(s->state & (FM__CLOSED | FM__READY)) &&
        (is_watched_by(s, l) || watch_here(s, l))) {
        s->waiter = waiter;
        s->at = l;
        fm__loop_wait_begin(l);
        waiter = NULL;
    }
    fm__bias_unlock(&d->lock, biased);
    if (waiter)
        fm_resume(waiter);
}

void
fm__descriptor_arm(fm_waiter *waiter, void *arg)
{
    struct fm__side *s = arg;
    struct fm__bias *lock = &s->of->lock;
    struct fm__loop *l = fm__here;
    if (!fm__bias_enter(lock)) {
        arm_slow(waiter, s);
        return;
    }
    if ((s->state & (FM__CLOSED | FM__READY)) || !is_watched_by(s, l) ||
        !l->driving) {
        fm__bias_unlock(lock, true);
        arm_slow(waiter, s);
        return;
    }
    s->waiter = waiter;
    s->at = l;
    l->waits++;
    fm__bias_unlock(lock, true);
}

bool
fm__descriptor_disarm(fm_waiter *waiter, void *arg)
{
    struct fm__side *s = arg;
    struct fm__descriptor *d = s->of;
    bool biased = fm__bias_lock(&d->lock);
    bool armed = s->waiter == waiter;
    if (armed)
        take_waiter(s);
    fm__bias_unlock(&d->lock, biased);
    return armed;
}

static void
turn_arm(fm_waiter *waiter, void *arg)
{
    struct fm__turn *t = arg;
    struct fm__side *s = t->side;
    struct fm__descriptor *d = s->of;
    bool biased = fm__bias_lock(&d->lock);
    bool now = (s->state & FM__CLOSED) || !(s->state & FM__HELD);
    if (!now) {
        t->waiter = waiter;
        t->next = NULL;
        *s->last = t;
        s->last = &t->next;
        s->state |= FM__QUEUED;
    } else if (!(s->state & FM__CLOSED)) {
        s->state |= FM__HELD;
        d->stays--;
    }
    fm__bias_unlock(&d->lock, biased);
    if (now)
        fm_resume(waiter);
}

static bool
turn_disarm(fm_waiter *waiter, void *arg)
{
    struct fm__turn *t = arg, **at;
    struct fm__side *s = t->side;
    struct fm__descriptor *d = s->of;
    (void)waiter;
    bool biased = fm__bias_lock(&d->lock);
    for (at = &s->first; *at && *at != t; at = &(*at)->next)
        ;
    bool queued = *at != NULL;
    if (queued && !(*at = t->next))
        s->last = at;
    if (!s->first)
        s->state &= ~(unsigned)FM__QUEUED;
    fm__bias_unlock(&d->lock, biased);
    return queued;
}

static enum fm__way
way_of(const struct fm__side *s)
{
    return s == &s->of->side[FM__IN] ? FM__IN : FM__OUT;
}

/* Never inlined: for its turn it needs a record before it begins, and who
 * calls it has the way, or a place, to give back if there is none. */
__attribute__((noinline)) static fm_async bool
queue(struct fm__side *s)
{
    struct fm__turn t = {.side = s};
    return fm_await fm_suspend_until(turn_arm, turn_disarm, &t);
}

static fm_async bool
wait_for_way(struct fm__side *s, ssize_t what)
{
    if (what == FM__TURN)
        return fm_await queue(s);
    if (what == FM__HOLD)
        return fm_await fm__stored_fetch(s->of);
    return false;
}

/* All but a wait until ready that went well. */
fm_async bool
fm__descriptor_wait_seldom(struct fm__side *s, ssize_t what)
{
    bool ours = false;
    if (what == FM__PAUSE) {
        fm_await fm_raise_cancelled();
        return false;
    }
    fm_fault *f = fm_await fm_attempt(&ours, wait_for_way(s, what));
    if (ours)
        return true;
    fm__descriptor_leave(s->of, way_of(s), what != FM__TURN);
    if (f)
        fm_rethrow(f);
    fm_await fm_raise_cancelled();
    return false;
}

/* ---- a try ---- */

static void
recycle(struct fm__watch *w)
{
    struct fm__descriptor *d = (struct fm__descriptor *)w;
    fm__sys_free(d->ahead);
    d->ahead = NULL;
    pthread_mutex_lock(&free_lock);
    w->next = free_descriptors;
    free_descriptors = w;
    pthread_mutex_unlock(&free_lock);
}

ssize_t
fm__descriptor_begin_slow(struct fm__descriptor *d, enum fm__way way, bool mine)
{
    struct fm__side *s = &d->side[way];
    if (s->state & FM__CLOSED)
        return -ECANCELED;
    if ((s->state & FM__HELD) && !mine)
        return FM__TURN;
    s->state &= ~(unsigned)FM__FAILED;
    return -s->failed;
}

void
fm__descriptor_keep(struct fm__descriptor *d, const void *bytes, size_t n)
{
    char *ahead = n > d->ahead_size ? fm__sys_realloc(d->ahead, n) : d->ahead;
    if (!ahead)
        return; /* out of memory: they are lost */
    memcpy(ahead, bytes, n);
    d->ahead = ahead;
    d->ahead_size = n > d->ahead_size ? n : d->ahead_size;
    d->ahead_at = 0;
    d->ahead_end = n;
    d->side[FM__IN].state |= FM__AHEAD;
}

/* An operation that holds no way ends, or any after the close. Unlocks. */
static void
stay_end(struct fm__descriptor *d, bool biased)
{
    bool last = !--d->stays && (d->side[FM__IN].state & FM__CLOSED);
    fm__bias_unlock(&d->lock, biased);
    if (last)
        fm__loop_give_up(&d->watch);
}

/* The next in the queue holds the way. */
static fm_waiter *
pass_on(struct fm__descriptor *d, struct fm__side *s)
{
    struct fm__turn *next = s->first;
    s->state &= ~(unsigned)(FM__HELD | FM__PARTIAL | FM__QUEUED);
    s->progress = 0;
    if (!next)
        return NULL;
    d->stays--;
    s->first = next->next;
    if (!s->first)
        s->last = &s->first;
    s->state |= s->first ? FM__HELD | FM__QUEUED : FM__HELD;
    return next->waiter;
}

/* The holder of a way ends. Unlocks. */
static void
hold_end(struct fm__descriptor *d, struct fm__side *s, bool biased)
{
    if (s->state & FM__CLOSED) {
        stay_end(d, biased);
        return;
    }
    if ((s->state & FM__PARTIAL) && s->partial)
        fm__descriptor_keep(d, s->partial, s->progress);
    fm_waiter *waiter = pass_on(d, s);
    fm__bias_unlock(&d->lock, biased);
    if (waiter)
        fm_resume(waiter);
}

ssize_t
fm__descriptor_end_slow(struct fm__descriptor *d, enum fm__way way, bool mine,
                        bool biased, ssize_t got)
{
    struct fm__side *s = &d->side[way];
    if (got > FM__WAIT && mine) {
        hold_end(d, s, biased);
        return got;
    }
    if (got == FM__HOLD)
        s->state = (s->state | FM__HELD) & ~(unsigned)FM__DRAINED;
    if (got == FM__TURN)
        d->stays++;
    fm__bias_unlock(&d->lock, biased);
    return got;
}

void
fm__descriptor_leave(struct fm__descriptor *d, enum fm__way way, bool mine)
{
    bool biased = fm__bias_lock(&d->lock);
    if (mine)
        hold_end(d, &d->side[way], biased);
    else
        stay_end(d, biased);
}

/* ---- opening and closing ---- */

static struct fm__descriptor *
take_free(void)
{
    pthread_mutex_lock(&free_lock);
    struct fm__watch *w = free_descriptors;
    if (w)
        free_descriptors = w->next;
    pthread_mutex_unlock(&free_lock);
    if (w)
        return (struct fm__descriptor *)w;
    struct fm__descriptor *d = fm__sys_alloc_zeroed(sizeof(*d));
    if (!d)
        return NULL;
    d->watch.ready = event;
    d->watch.recycle = recycle;
    fm__bias_init(&d->lock, &d->mutex);
    return d;
}

struct fm__descriptor *
fm__descriptor_new(int fd, bool is_socket, bool tcp)
{
    struct fm__descriptor *d = take_free();
    if (!d)
        return NULL;
    /* Under the mutex, for the sake of an event of the last use. */
    pthread_mutex_lock(&d->mutex);
    fm__bias_forget(&d->lock);
    memset(d->side, 0, sizeof(d->side));
    for (int way = 0; way < 2; way++) {
        d->side[way].of = d;
        d->side[way].last = &d->side[way].first;
        d->side[way].state = is_socket ? 0 : FM__PLAIN;
    }
    d->talks_short = tcp;
    d->eager = d->reset = d->shut = false;
    d->file = d->slow_read = d->slow_write = false;
    d->news = 0;
    d->ahead_at = d->ahead_end = d->ahead_size = 0;
    d->fd = fd;
    pthread_mutex_unlock(&d->mutex);
    return d;
}

void
fm__descriptors_after_fork(void)
{
    static const pthread_mutex_t free_mutex = PTHREAD_MUTEX_INITIALIZER;
    free_lock = free_mutex;
    free_descriptors = NULL;
}

/* Shuts one way; whoever is inside is counted as a stay from now on. */
static fm_waiter *
shut_way(struct fm__descriptor *d, struct fm__side *s, struct fm__turn **turns)
{
    fm_waiter *waiter = take_waiter(s);
    d->stays += s->state & FM__HELD;
    *turns = s->first;
    s->first = NULL;
    s->last = &s->first;
    unwatch(d, s);
    s->state = FM__CLOSED;
    return waiter;
}

static void
wake_turns(struct fm__turn *t)
{
    while (t) {
        struct fm__turn *next = t->next;
        fm_resume(t->waiter);
        t = next;
    }
}

void
fm__descriptor_close(struct fm__descriptor *d)
{
    struct fm__turn *readers, *writers;
    bool biased = fm__bias_lock(&d->lock);
    fm_waiter *reader = shut_way(d, &d->side[FM__IN], &readers);
    fm_waiter *writer = shut_way(d, &d->side[FM__OUT], &writers);
    d->generation++;
    close(d->fd);
    d->fd = -1;
    bool last = !d->stays;
    fm__bias_unlock(&d->lock, biased);
    if (last)
        fm__loop_give_up(&d->watch);
    if (reader)
        fm_resume(reader);
    wake_turns(readers);
    if (writer)
        fm_resume(writer);
    wake_turns(writers);
}

/* ---- around the operations ---- */

static void
resume_later(fm_waiter *waiter, void *arg)
{
    (void)arg;
    fm_resume(waiter); /* inside an arm: queued */
}

/* Without memory others have no turn; what was done is done. */
__attribute__((noinline)) static fm_async void
let_others(void)
{
    (void)(fm_await fm_attempt(NULL, fm_suspend(resume_later, NULL)));
}

fm_async void
fm__breathe(void)
{
    if (fm__budget)
        return;
    fm__budget = FM__BUDGET;
    fm_await let_others();
}

/* The place is the operation's own: no line of this file helps the user. */
fm_async void
fm__raise(int error, const char *what)
{
    if (error == ECANCELED)
        fm_abi_throw(error, what, NULL, 0, "%s: closed while in use", what);
    fm_abi_throw(error, what, NULL, 0, "%s: %s", what, strerror(error));
}

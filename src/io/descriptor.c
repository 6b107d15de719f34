/* descriptor.c: who waits for a descriptor, and what wakes them?
 *
 * Gives the reading, writing and accepting operations their common shape:
 * try first, wait only when the kernel says EAGAIN, try again. Needs the
 * loop's epoll set. The trick: the set is edge-triggered and told once, so
 * to wait is a store and to be woken a load; an event that nobody waits for
 * is remembered in `ready`. A wake may be false (of an earlier use of the
 * memory, or of the other way): then the next try just says EAGAIN again.
 */
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
static struct fm__descriptor *free_descriptors;

/* ---- being told by epoll --------------------------------------------------- */

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
    int error = fm__loop_control(l, other ? EPOLL_CTL_MOD : EPOLL_CTL_ADD,
                                 d->fd, &d->watch, d->generation,
                                 events_in(d, l) | EPOLLET);
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

static void
event(struct fm__watch *w, uint16_t generation, uint32_t events)
{
    struct fm__descriptor *d = (struct fm__descriptor *)w;
    fm_waiter *woken[2] = {NULL, NULL};
    bool biased = fm__bias_lock(&d->lock);
    if (generation == d->generation && !d->closed) {
        if (events & ~(uint32_t)(EPOLLIN | EPOLLOUT))
            d->eager = true;
        for (int way = 0; way < 2; way++)
            if (events & (way_events[way] | EPOLLHUP | EPOLLERR)) {
                d->side[way].ready = true;
                woken[way] = take_waiter(&d->side[way]);
            }
    }
    fm__bias_unlock(&d->lock, biased);
    if (woken[FM__OUT])
        fm_resume(woken[FM__OUT]);
    if (woken[FM__IN])
        fm_resume(woken[FM__IN]);
}

/* ---- waiting ------------------------------------------------------------- */

void
fm__descriptor_arm(fm_waiter *waiter, void *arg)
{
    struct fm__side *s = arg;
    struct fm__descriptor *d = s->of;
    struct fm__loop *l = fm__loop_here();
    bool biased = fm__bias_lock(&d->lock);
    bool now = d->closed || s->ready;
    if (!now && !is_watched_by(s, l))
        now = (s->failed = watch(d, s, l)) != 0;
    if (!now) {
        s->waiter = waiter;
        s->at = l;
        l->waits++;
    }
    fm__bias_unlock(&d->lock, biased);
    if (now)
        fm_resume(waiter);
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
    bool now = d->closed || !s->held;
    if (now) {
        s->held = true;
    } else {
        t->waiter = waiter;
        t->next = NULL;
        *s->last = t;
        s->last = &t->next;
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
    fm__bias_unlock(&d->lock, biased);
    return queued;
}

fm_async bool
fm__descriptor_queue(struct fm__side *s)
{
    struct fm__turn t = {.side = s};
    if (fm_await fm_suspend_until(turn_arm, turn_disarm, &t))
        return true;
    fm__descriptor_leave(s->of, s == &s->of->side[FM__IN] ? FM__IN : FM__OUT,
                         false);
    return false;
}

/* ---- a try ------------------------------------------------------------------ */

static void
recycle(struct fm__descriptor *d)
{
    free(d->ahead);
    d->ahead = NULL;
    pthread_mutex_lock(&free_lock);
    d->free = free_descriptors;
    free_descriptors = d;
    pthread_mutex_unlock(&free_lock);
}

int
fm__descriptor_begin(struct fm__descriptor *d, enum fm__way way, bool mine)
{
    struct fm__side *s = &d->side[way];
    if (d->closed)
        return -ECANCELED;
    if (s->held && !mine)
        return FM__TURN;
    if (s->failed) {
        int error = s->failed;
        s->failed = 0;
        return -error;
    }
    if (s->drained && !s->ready)
        return -EAGAIN;
    s->ready = s->drained = false;
    return 0;
}

void
fm__descriptor_keep(struct fm__descriptor *d, const void *bytes, size_t n)
{
    char *ahead = n > d->ahead_size ? realloc(d->ahead, n) : d->ahead;
    if (!ahead)
        return; /* out of memory: they are lost */
    memcpy(ahead, bytes, n);
    d->ahead = ahead;
    d->ahead_size = n > d->ahead_size ? n : d->ahead_size;
    d->ahead_at = 0;
    d->ahead_end = n;
}

/* The holder of a way ends: the next in the queue holds it. Unlocks. */
static void
finish(struct fm__descriptor *d, struct fm__side *s, bool biased)
{
    struct fm__turn *next = s->first;
    fm_waiter *waiter = NULL;
    bool last = !--d->stays && d->closed;
    if (s->progress && s->partial && !d->closed)
        fm__descriptor_keep(d, s->partial, s->progress);
    s->progress = 0;
    s->held = next != NULL;
    if (next) {
        waiter = next->waiter;
        if (!(s->first = next->next))
            s->last = &s->first;
    }
    fm__bias_unlock(&d->lock, biased);
    if (last)
        recycle(d);
    if (waiter)
        fm_resume(waiter);
}

ssize_t
fm__descriptor_end(struct fm__descriptor *d, enum fm__way way, bool mine,
                   bool biased, ssize_t got)
{
    struct fm__side *s = &d->side[way];
    if (got == -EAGAIN || got == FM__HOLD) {
        s->drained = got == -EAGAIN;
        s->held = true;
        got = got == -EAGAIN ? FM__WAIT : FM__HOLD;
    } else if (mine) {
        finish(d, s, biased);
        return got;
    }
    if (got <= FM__WAIT && !mine)
        d->stays++;
    fm__bias_unlock(&d->lock, biased);
    return got;
}

void
fm__descriptor_leave(struct fm__descriptor *d, enum fm__way way, bool mine)
{
    bool biased = fm__bias_lock(&d->lock);
    if (mine) {
        finish(d, &d->side[way], biased);
        return;
    }
    bool last = !--d->stays && d->closed;
    fm__bias_unlock(&d->lock, biased);
    if (last)
        recycle(d);
}

/* ---- opening and closing ------------------------------------------------------ */

static struct fm__descriptor *
take_free(void)
{
    pthread_mutex_lock(&free_lock);
    struct fm__descriptor *d = free_descriptors;
    if (d)
        free_descriptors = d->free;
    pthread_mutex_unlock(&free_lock);
    if (d || !(d = calloc(1, sizeof(*d))))
        return d;
    d->watch.ready = event;
    d->closed = true;
    fm__bias_init(&d->lock);
    return d;
}

struct fm__descriptor *
fm__descriptor_new(int fd, bool is_socket, bool tcp)
{
    struct fm__descriptor *d = take_free();
    if (!d)
        return NULL;
    /* Under the mutex, for the sake of an event of the last use. */
    pthread_mutex_lock(&d->lock.mutex);
    fm__bias_forget(&d->lock);
    memset(d->side, 0, sizeof(d->side));
    for (int way = 0; way < 2; way++) {
        d->side[way].of = d;
        d->side[way].last = &d->side[way].first;
    }
    d->is_socket = is_socket;
    d->talks_short = tcp;
    d->eager = d->reset = d->shut = false;
    d->ahead_at = d->ahead_end = d->ahead_size = 0;
    d->fd = fd;
    d->closed = false;
    pthread_mutex_unlock(&d->lock.mutex);
    return d;
}

void
fm__descriptor_close(struct fm__descriptor *d)
{
    fm_waiter *waiters[2];
    struct fm__turn *turns[2];
    bool biased = fm__bias_lock(&d->lock);
    d->closed = true;
    for (int way = 0; way < 2; way++) {
        struct fm__side *s = &d->side[way];
        waiters[way] = take_waiter(s);
        turns[way] = s->first;
        s->first = NULL;
        s->last = &s->first;
        unwatch(d, s);
    }
    d->generation++;
    close(d->fd);
    d->fd = -1;
    bool last = !d->stays;
    fm__bias_unlock(&d->lock, biased);
    if (last)
        recycle(d);
    for (int way = 0; way < 2; way++) {
        if (waiters[way])
            fm_resume(waiters[way]);
        while (turns[way]) {
            struct fm__turn *t = turns[way];
            turns[way] = t->next;
            fm_resume(t->waiter);
        }
    }
}

/* ---- around the operations ------------------------------------------------------ */

fm_async void
fm__pause(void)
{
    fm_await fm_raise_cancelled();
    struct fm__loop *l = fm__loop_here();
    if (l->budget)
        return;
    l->budget = FM__BUDGET;
    fm_await fm_yield();
}

fm_async void
fm__raise(int error, const char *what)
{
    if (error == ECANCELED)
        fm_throw(error, "%s: closed while in use", what);
    fm_throw(error, "%s: %s", what, strerror(error));
}

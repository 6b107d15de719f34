/* descriptor.h: one open descriptor, for reading and for writing. */
#ifndef FM_IO_DESCRIPTOR_H
#define FM_IO_DESCRIPTOR_H

#include <io/bias.h>
#include <sys/types.h>

enum fm__way { FM__IN, FM__OUT };

/* What a try returns besides a count (>= 0) or a negated errno value. All
 * mean that the operation now stays in the descriptor. */
enum {
    FM__WAIT = -10001, /* wait until ready: it holds the way now */
    FM__TURN = -10002, /* another one holds the way: queue */
    FM__HOLD = -10003, /* it holds the way and waits for something else */
};

/* One way through a descriptor. An operation that must wait holds its way
 * until it ends, so that what several tasks write is not mixed; others that
 * want the way queue. */
struct fm__side {
    fm_waiter *waiter;       /* the holder, if it is suspended until ready */
    struct fm__loop *at;     /* where that wait counts */
    struct fm__loop *watcher; /* whose epoll set has this way; null = none */
    unsigned watcher_life;   /* of that loop, when it was told */
    int failed;              /* errno value of telling it; 0 = told */
    size_t progress;         /* bytes that the holder has moved so far ... */
    const void *partial;     /* ... where they lie, if they must not be lost */
    struct fm__turn *first, **last; /* operations that queue */
    struct fm__descriptor *of;
    bool held;
    bool ready;   /* an event came since drained was last set */
    bool drained; /* the kernel had no more: a try needs an event first */
};

/* Everything is under the lock but `fd`, which changes only in open and
 * close. Its memory is recycled, not freed: see fm__watch. */
struct fm__descriptor {
    struct fm__watch watch;
    uint16_t generation;  /* of the events that are meant for this use */
    bool closed;
    bool talks_short;     /* TCP: a short read has emptied it */
    bool eager;           /* unless end, reset or urgent data may follow */
    bool is_socket;
    bool reset;           /* a write has taken the news of a reset */
    bool shut;            /* half-closed by us */
    unsigned stays;       /* operations that wait in it or queue */
    int fd;
    struct fm__side side[2];
    struct fm__bias lock;
    char *ahead;          /* bytes read but not yet asked for, malloced */
    size_t ahead_at, ahead_end, ahead_size;
    struct fm__descriptor *free;
};

/* Null with errno (ENOMEM); the descriptor then still is the caller's. */
struct fm__descriptor *fm__descriptor_new(int fd, bool is_socket, bool tcp);
/* From any thread, once: whoever waits in it finds it closed. */
void fm__descriptor_close(struct fm__descriptor *d);
/* Under the lock, when nothing is kept yet: the next reads get these bytes
 * first. */
void fm__descriptor_keep(struct fm__descriptor *d, const void *bytes,
                         size_t n);

/* A try is: lock, begin, the system call if begin returned 0, end, which
 * unlocks: nothing of d may be touched after an end. Mine = the operation
 * holds the way already. begin returns 0 or what to hand to end; end takes
 * that, or what the system call gave (a count or a negated errno value), and
 * returns the try's result. */
int fm__descriptor_begin(struct fm__descriptor *d, enum fm__way way,
                         bool mine);
ssize_t fm__descriptor_end(struct fm__descriptor *d, enum fm__way way,
                           bool mine, bool biased, ssize_t got);
/* The operation gives up: it will not try again. */
void fm__descriptor_leave(struct fm__descriptor *d, enum fm__way way,
                          bool mine);

/* Waits as a try said. True: try again, the way is yours; false: cancelled,
 * the operation has left. */
void fm__descriptor_arm(fm_waiter *waiter, void *side);
bool fm__descriptor_disarm(fm_waiter *waiter, void *side);
fm_async bool fm__descriptor_queue(struct fm__side *s);

static inline fm_async bool
fm__descriptor_wait(struct fm__descriptor *d, enum fm__way way, ssize_t what)
{
    if (what == FM__TURN)
        return fm_await fm__descriptor_queue(&d->side[way]);
    if (fm_await fm_suspend_until(fm__descriptor_arm, fm__descriptor_disarm,
                                  &d->side[way]))
        return true;
    fm__descriptor_leave(d, way, true);
    return false;
}

/* Before each operation: raises a pending cancellation, and lets others run
 * now and then. */
static inline bool
fm__must_pause(void)
{
    struct fm__loop *l = fm__here;
    if (fm_cancel_pending() || !l || !l->budget)
        return true;
    l->budget--;
    return false;
}
fm_async void fm__pause(void);
/* Raises the errno value as a fault of the operation `what`. */
fm_async void fm__raise(int error, const char *what);

#endif

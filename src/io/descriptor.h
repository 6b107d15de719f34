/* descriptor.h: one open descriptor, for reading and for writing. */
#ifndef FM_IO_DESCRIPTOR_H
#define FM_IO_DESCRIPTOR_H

#include <errno.h>
#include <io/bias.h>
#include <sys/types.h>

enum fm__way { FM__IN, FM__OUT };

/* What a try returns besides a count (>= 0) or a negated errno value. All
 * mean that the operation now stays in the descriptor. */
enum {
    FM__WAIT = -10001, /* wait until ready: it holds the way now */
    FM__TURN = -10002, /* another one holds the way: queue */
    FM__HOLD = -10003, /* it holds the way and waits for something else */
    FM__PAUSE = -10004, /* not begun: see fm__must_pause; it stays nowhere */
};

enum { FM__END = -1 };

/* What is true of one way. */
enum {
    FM__HELD = 1,     /* an operation that had to wait holds it */
    FM__READY = 2,    /* an event came since it was last drained */
    FM__DRAINED = 4,  /* the kernel had no more: a try needs an event first */
    FM__CLOSED = 8,
    FM__FAILED = 16,  /* epoll could not be told: see failed */
    FM__QUEUED = 32,  /* operations queue */
    FM__PARTIAL = 64, /* the holder has moved some of its bytes */
    FM__AHEAD = 128,  /* bytes were read ahead */
    FM__PLAIN = 256,  /* it is no socket */
};

/* One way through a descriptor. An operation that must wait holds its way
 * until it ends, so that what several tasks write is not mixed; others that
 * want the way queue. */
struct fm__side {
    unsigned state;           /* FM__HELD ... */
    unsigned watcher_life;    /* of watcher, when it was told */
    fm_waiter *waiter;        /* the holder, if it is suspended until ready */
    struct fm__loop *at;      /* where that wait counts */
    struct fm__loop *watcher; /* whose epoll set has this way; null = none */
    struct fm__descriptor *of;
    struct fm__turn *first, **last; /* operations that queue */
    size_t progress;          /* bytes that the holder has moved so far ... */
    const void *partial;      /* ... where they lie, if they must be kept */
    int failed;               /* errno value of telling epoll */
};

/* Everything is under the lock but `fd`, which changes only in open and
 * close. Its memory is recycled, not freed: see fm__watch. */
struct fm__descriptor {
    struct fm__watch watch;
    struct fm__bias lock;
    int fd;
    uint16_t generation;  /* of the events that are meant for this use */
    bool talks_short;     /* TCP: a short read has emptied it */
    bool eager;           /* unless end, reset or urgent data may follow */
    bool reset;           /* a write has taken the news of a reset */
    bool file;            /* epoll knows no such thing: stored.c */
    bool slow_read, slow_write; /* of a file: it does not tell what is in
                             memory */
    int news;             /* of a file: what the lane's read met, an errno
                             value, or FM__END; 0 = nothing new */
    bool shut;            /* half-closed by us */
    unsigned stays;       /* operations inside that hold no way; when it is
                             closed: all */
    size_t ahead_at, ahead_end, ahead_size;
    char *ahead;          /* bytes read but not yet asked for, malloced */
    struct fm__side side[2];
    pthread_mutex_t mutex; /* the lock's */
};

/* Null with errno (ENOMEM); the descriptor then still is the caller's. */
struct fm__descriptor *fm__descriptor_new(int fd, bool is_socket, bool tcp);
/* From any thread, once: whoever waits in it finds it closed. */
void fm__descriptor_close(struct fm__descriptor *d);
/* Under the lock, when nothing is kept yet: the next reads get these bytes
 * first. */
void fm__descriptor_keep(struct fm__descriptor *d, const void *bytes, size_t n);

ssize_t fm__descriptor_begin_slow(struct fm__descriptor *d, enum fm__way way,
                                  bool mine);
ssize_t fm__descriptor_end_slow(struct fm__descriptor *d, enum fm__way way,
                                bool mine, bool biased, ssize_t got);

/* A try is: lock, begin, the system call if begin returned 0, end, which
 * unlocks: nothing of d may be touched after an end. Mine = the operation
 * holds the way already. begin returns 0 or what to hand to end; end takes
 * that, or what the system call gave (a count or a negated errno value), and
 * returns the try's result. */
static inline ssize_t
fm__descriptor_begin(struct fm__descriptor *d, enum fm__way way, bool mine)
{
    struct fm__side *s = &d->side[way];
    unsigned state = s->state;
    if ((state & (FM__HELD | FM__CLOSED | FM__FAILED)) != mine * FM__HELD)
        return fm__descriptor_begin_slow(d, way, mine);
    if ((state & (FM__READY | FM__DRAINED)) == FM__DRAINED)
        return -EAGAIN;
    s->state = state & ~(unsigned)(FM__READY | FM__DRAINED);
    return 0;
}

static inline ssize_t
fm__descriptor_end(struct fm__descriptor *d, enum fm__way way, bool mine,
                   bool biased, ssize_t got)
{
    struct fm__side *s = &d->side[way];
    if (got >= 0 &&
        (!mine || !(s->state & (FM__CLOSED | FM__QUEUED | FM__PARTIAL)))) {
        s->state &= ~(unsigned)mine;
    } else if (got == -EAGAIN) {
        s->state |= FM__HELD | FM__DRAINED;
        got = FM__WAIT;
    } else {
        return fm__descriptor_end_slow(d, way, mine, biased, got);
    }
    fm__bias_unlock(&d->lock, biased);
    return got;
}

/* The operation gives up: it will not try again. */
void fm__descriptor_leave(struct fm__descriptor *d, enum fm__way way,
                          bool mine);

/* Before each operation. True: a cancellation may be pending, which must be
 * raised; or the budget is used up, and others run after the operation: not
 * before it, when a close could take the descriptor away unseen. */
static inline bool
fm__must_pause(void)
{
    if (!fm__budget || fm_cancel_pending())
        return true;
    fm__budget--;
    return false;
}
/* After an operation that began with a pause: lets others run, if they did
 * not yet; a cancellation does not take the result away. */
fm_async void fm__breathe(void);

/* Waits as a try said. True: try again, the way is yours; false: cancelled,
 * the operation has left. */
void fm__descriptor_arm(fm_waiter *waiter, void *side);
bool fm__descriptor_disarm(fm_waiter *waiter, void *side);
fm_async bool fm__descriptor_wait_seldom(struct fm__side *s, ssize_t what);

/* stored.c: a file's system calls, under the lock: FM__HOLD where they would
 * block. fetch then reads on the lane, false = cancelled; store writes there
 * and ends the operation, also by leaving it when it raises. */
ssize_t fm__stored_receive(struct fm__descriptor *d, void *buf, size_t n);
ssize_t fm__stored_put(struct fm__descriptor *d, const void *buf, size_t n);
fm_async bool fm__stored_fetch(struct fm__descriptor *d);
fm_async ssize_t fm__stored_store(struct fm__descriptor *d, const void *buf,
                                  size_t n);

/* The same, but raises the cancellation. True: the way is yours; false: try
 * as at first. */
static inline fm_async bool
fm__descriptor_next(struct fm__descriptor *d, enum fm__way way, ssize_t what)
{
    struct fm__side *s = &d->side[way];
    if (what != FM__WAIT || !fm_await fm_suspend_until(
                                fm__descriptor_arm, fm__descriptor_disarm, s))
        return fm_await fm__descriptor_wait_seldom(s, what);
    return true;
}

/* Raises the errno value as a fault of the operation `what`. */
fm_async void fm__raise(int error, const char *what);

#endif

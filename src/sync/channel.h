/* channel.h: what channel.c and select.c share. */
#ifndef FM_SYNC_CHANNEL_H
#define FM_SYNC_CHANNEL_H

#include <base/atomic.h>
#include <base/check.h>
#include <errno.h>
#include <fermata/sync.h>

/* Who waits for the first of several operations. `decided` is set once: to
 * 1 + the offer that was taken, or to PARTY_LEFT. Release by who decides it,
 * after which only that one touches the party, until it resumes the
 * waiter. */
struct fm__party {
    _Atomic uint32_t decided;
    fm_waiter *waiter;
};
enum { PARTY_OPEN = 0, PARTY_LEFT = UINT32_MAX };

/* One operation that somebody waits for; in the queue of its channel, under
 * the channel's lock. */
struct fm__offer {
    struct fm__offer *next, *prev;
    struct fm__party *party; /* null: this is all that is waited for */
    fm_waiter *waiter;
    void *value;    /* read from or written to by who takes the offer */
    uint32_t index; /* among the party's */
    bool queued;
    bool done; /* at its end; false: the channel was closed instead */
};

struct fm__offers {
    struct fm__offer *first, *last;
};

/* `count` values lie in `room` from `at` on, going round. */
struct fm_channel {
    struct fm_abi_place place; /* of `waiter` */
    struct lock lock; /* over all below but refs and sizes */
    _Atomic uint32_t refs;
    size_t bytes, capacity; /* of a value; how many there is room for */
    size_t at, count;
    bool closed;
    /* A receiver that came before all in the queue and has only its place
     * here; null: none. The value goes to `out`. */
    fm_waiter *waiter;
    void *out;
    struct fm__offers receivers, senders; /* one of them is empty ... */
    _Alignas(16) char room[];
};

enum fm__tried { TRIED_NOTHING, TRIED_DONE, TRIED_CLOSED };

/* A try, under the lock. Who is woken by it, if anybody, is to be resumed
 * by fm__waiter_wake without the lock. */
enum fm__tried fm__channel_send(struct fm_channel *c, const void *value,
                                fm_waiter **woken);
enum fm__tried fm__channel_receive(struct fm_channel *c, void *out,
                                   fm_waiter **woken);
void fm__offer_add(struct fm_channel *c, bool sends, struct fm__offer *o);
/* Out of the queue, if it still is in. */
void fm__offer_remove(struct fm_channel *c, bool sends, struct fm__offer *o);

static inline void
fm__waiter_wake(fm_waiter *woken)
{
    if (woken)
        fm_resume_later(woken);
}

/* False: it was decided before. */
static inline bool
fm__party_decide(struct fm__party *p, uint32_t how)
{
    uint32_t open = PARTY_OPEN;

    return atomic_compare_exchange_strong(&p->decided, &open, how);
}

#endif

/* channel.c: values from task to task.
 *
 * A value goes straight from the sender's memory to the receiver's where one
 * of them waits, else through the ring. The lock is held for a copy and a few
 * links; what is woken is resumed without it.
 */
#include <base/memory.h>
#include <sync/channel.h>
#include <sync/go.h>
#include <sync/line.h>

#include <string.h>

/* ---- the queues, under the lock ---- */

static struct fm__offers *
offers_of(struct fm_channel *c, bool sends)
{
    return sends ? &c->senders : &c->receivers;
}

void
fm__offer_add(struct fm_channel *c, bool sends, struct fm__offer *o)
{
    struct fm__offers *q = offers_of(c, sends);

    o->next = NULL;
    o->prev = q->last;
    o->queued = true;
    if (q->last)
        q->last->next = o;
    else
        q->first = o;
    q->last = o;
}

void
fm__offer_remove(struct fm_channel *c, bool sends, struct fm__offer *o)
{
    struct fm__offers *q = offers_of(c, sends);

    if (!o->queued)
        return;
    if (o->prev)
        o->prev->next = o->next;
    else
        q->first = o->next;
    if (o->next)
        o->next->prev = o->prev;
    else
        q->last = o->prev;
    o->queued = false;
}

/* The oldest offer whose party is still open, decided for it; those that
 * another channel was faster for go. */
static struct fm__offer *
offer_take(struct fm_channel *c, bool sends)
{
    struct fm__offers *q = offers_of(c, sends);
    struct fm__offer *o;

    while ((o = q->first)) {
        fm__offer_remove(c, sends, o);
        if (!o->party || fm__party_decide(o->party, o->index + 1))
            return o;
    }
    return NULL;
}

/* ---- tries, under the lock ---- */

/* Most values are a number or an address. */
static inline void
value_copy(void *to, const void *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 4)
        memcpy(to, from, 4);
    else
        memcpy(to, from, bytes);
}

static char *
slot(struct fm_channel *c, size_t i)
{
    size_t at = c->at + i; /* both are at most the capacity */

    return c->room + (at < c->capacity ? at : at - c->capacity) * c->bytes;
}

enum fm__tried
fm__channel_send(struct fm_channel *c, const void *value, fm_waiter **woken)
{
    struct fm__offer *taken;
    void *to;

    if (c->closed)
        return TRIED_CLOSED;
    if (c->waiter) {
        to = c->out;
        *woken = c->waiter;
        c->waiter = NULL;
    } else if ((taken = offer_take(c, false))) {
        to = taken->value;
        *woken = taken->waiter;
    } else if (c->count < c->capacity) {
        to = slot(c, c->count++);
    } else {
        return TRIED_NOTHING;
    }
    value_copy(to, value, c->bytes);
    return TRIED_DONE;
}

/* A sender that waits has been waiting for the place that is now free. */
enum fm__tried
fm__channel_receive(struct fm_channel *c, void *out, fm_waiter **woken)
{
    struct fm__offer *taken;
    char *to = out;

    if (!c->count && !c->senders.first)
        return c->closed ? TRIED_CLOSED : TRIED_NOTHING;
    if (c->count) {
        value_copy(out, slot(c, 0), c->bytes);
        c->at = c->at + 1 < c->capacity ? c->at + 1 : 0;
        c->count--;
        to = slot(c, c->count);
    }
    taken = offer_take(c, true);
    if (taken) {
        value_copy(to, taken->value, c->bytes);
        *woken = taken->waiter;
        c->count += to != out;
        return TRIED_DONE;
    }
    if (to != out)
        return TRIED_DONE;
    return c->closed ? TRIED_CLOSED : TRIED_NOTHING;
}

static inline enum fm__tried
try_send(struct fm_channel *c, const void *value)
{
    fm_waiter *woken = NULL;

    lock_take(&c->lock);
    enum fm__tried tried = fm__channel_send(c, value, &woken);
    lock_give(&c->lock);
    fm__waiter_wake(woken);
    return tried;
}

static inline enum fm__tried
try_receive(struct fm_channel *c, void *out)
{
    fm_waiter *woken = NULL;

    lock_take(&c->lock);
    enum fm__tried tried = fm__channel_receive(c, out, &woken);
    lock_give(&c->lock);
    fm__waiter_wake(woken);
    return tried;
}

/* ---- a wait for one operation ---- */

struct one {
    struct fm_abi_park park; /* first; its value: done, and not closed */
    struct fm__offer offer;
    struct fm_channel *channel;
    bool sends;
    _Alignas(16) char value[]; /* to be sent */
};

static const struct fm_abi_fault closed = {EPIPE, "fm_send",
                                           "fm_send: the channel is closed"};

static void
one_closed(struct one *w)
{
    w->park.value = false;
    if (w->sends)
        w->park.fault = &closed;
}

static void
arm(fm_waiter *waiter, void *arg)
{
    struct one *w = arg;
    struct fm_channel *c = w->channel;
    fm_waiter *woken = NULL;

    w->offer.waiter = waiter;
    if (fm__alone()) { /* nothing has run since the try */
        fm__offer_add(c, w->sends, &w->offer);
        return;
    }
    lock_take(&c->lock);
    enum fm__tried tried = w->sends
                               ? fm__channel_send(c, w->offer.value, &woken)
                               : fm__channel_receive(c, w->offer.value, &woken);
    if (tried == TRIED_NOTHING)
        fm__offer_add(c, w->sends, &w->offer);
    else if (tried == TRIED_CLOSED)
        one_closed(w);
    lock_give(&c->lock);
    fm__waiter_wake(woken);
    if (tried != TRIED_NOTHING)
        fm_resume(waiter);
}

/* Who takes an offer out of the queue resumes its waiter. */
static bool
disarm(fm_waiter *waiter, void *arg)
{
    struct one *w = arg;
    struct fm_channel *c = w->channel;

    (void)waiter;
    lock_take(&c->lock);
    bool queued = w->offer.queued;
    fm__offer_remove(c, w->sends, &w->offer);
    lock_give(&c->lock);
    return queued;
}

static bool
place_disarm(fm_waiter *waiter, void *arg)
{
    struct fm_channel *c = arg;

    lock_take(&c->lock);
    bool waits = c->waiter == waiter;
    if (waits)
        c->waiter = NULL;
    lock_give(&c->lock);
    return waits;
}

static inline struct one *
one_new(struct fm_channel *c, bool sends, size_t bytes)
{
    struct one *w = fm_abi_park_new(sizeof *w + bytes, arm, disarm);

    if (!w)
        return NULL;
    w->park.value = true;
    w->offer.party = NULL;
    w->offer.value = w->value;
    w->channel = c;
    w->sends = sends;
    return w;
}

/* The value may lie in the block of who started this as a task, and that may
 * be left by now. */
__attribute__((noinline)) static fm_async void
send_waits(struct fm_channel *c, const void *value)
{
    struct one *w = one_new(c, true, c->bytes);

    if (w)
        value_copy(w->value, value, c->bytes);
    fm_await fm_abi_park_on(w);
}

__attribute__((noinline)) static fm_async bool
receive_waits(struct fm_channel *c, void *out)
{
    struct one *w = one_new(c, false, 0);

    if (w)
        w->offer.value = out;
    return fm_await fm_abi_park_value(w);
}

/* ---- the operations ---- */

/* The rest of a send: all but the value that somebody waits for. */
__attribute__((noinline)) static fm_async void
send_slow(struct fm_channel *c, const void *value)
{
    enum fm_abi_go go = fm_abi_may_go();

    if (go == FM_ABI_CANCELLED)
        fm_await fm_raise_cancelled();
    enum fm__tried tried = try_send(c, value);
    if (tried == TRIED_CLOSED)
        fm_abi_throw(closed.code, closed.function, NULL, 0, "%s", closed.text);
    if (tried == TRIED_NOTHING)
        fm_await send_waits(c, value);
    else if (go == FM_ABI_GO_YIELD)
        fm_await fm__sync_yield();
}

__attribute__((noinline)) static fm_async bool
receive_slow(struct fm_channel *c, void *out)
{
    enum fm_abi_go go = fm_abi_may_go();

    if (go == FM_ABI_CANCELLED)
        fm_await fm_raise_cancelled();
    enum fm__tried tried = try_receive(c, out);
    if (tried == TRIED_NOTHING)
        return fm_await receive_waits(c, out);
    if (go == FM_ABI_GO_YIELD)
        fm_await fm__sync_yield();
    return tried == TRIED_DONE;
}

/* Nobody has sent, nor waits, and who comes has a task: then a receiver needs
 * no more than the place. */
static inline bool
place_is_free(const struct fm_channel *c)
{
    return !((uintptr_t)c->waiter | (uintptr_t)c->receivers.first |
             (uintptr_t)c->senders.first | c->count | c->closed) &&
           fm__root_here()->task != (void *)fm_abi_no_task;
}

/* What these two do in most cases needs no frame of their own, and in a
 * process of one thread no lock. */
fm_async void
fm_abi_send(struct fm_channel *c, const void *value)
{
    fm_waiter *waiter;

    if (fm__goes_alone() && likely((waiter = c->waiter) != NULL)) {
        fm__go_on();
        c->waiter = NULL;
        value_copy(c->out, value, c->bytes);
        fm_resume_later(waiter);
    } else {
        fm_await send_slow(c, value);
    }
}

fm_async bool
fm_abi_receive(struct fm_channel *c, void *out)
{
    if (!fm__goes_alone() || !place_is_free(c))
        return fm_await receive_slow(c, out);
    fm__go_on();
    c->waiter = fm__root_here()->task;
    c->out = out;
    return fm_await fm_abi_place_wait(&c->place);
}

bool
fm_abi_try_send(struct fm_channel *c, const void *value)
{
    return try_send(c, value) == TRIED_DONE;
}

bool
fm_abi_try_receive(struct fm_channel *c, void *out)
{
    return try_receive(c, out) == TRIED_DONE;
}

/* ---- life ---- */

struct fm_channel *
fm_abi_channel_new(size_t bytes, size_t capacity)
{
    struct fm_channel *c;
    size_t room;

    if (__builtin_mul_overflow(bytes, capacity, &room) ||
        __builtin_add_overflow(room, sizeof *c + 16, &room))
        return NULL;
    c = fm__sys_alloc_aligned(16, room & ~(size_t)15);
    if (!c)
        return NULL;
    memset(c, 0, sizeof *c);
    fm__store(&c->refs, 1);
    c->place.disarm = place_disarm;
    c->bytes = bytes;
    c->capacity = capacity;
    return c;
}

struct fm_channel *
fm_abi_channel_retain(struct fm_channel *c)
{
    if (c)
        fm__add(&c->refs, 1);
    return c;
}

void
fm_abi_channel_release(struct fm_channel *c)
{
    if (!c || fm__sub(&c->refs, 1) != 1)
        return;
    if (c->senders.first || c->receivers.first || c->waiter)
        fm__sync_die("fm_channel_release: a task waits in it");
    fm__sys_free(c);
}

static void
offer_close(struct fm__offer *o)
{
    o->done = false;
    if (!o->party)
        one_closed((void *)((char *)o - offsetof(struct one, offer)));
}

/* Takes all of one queue; linked by next. */
static struct fm__offer *
take_all(struct fm_channel *c, bool sends)
{
    struct fm__offer *all = NULL, **end = &all, *o;

    while ((o = offer_take(c, sends))) {
        offer_close(o);
        o->next = NULL;
        *end = o;
        end = &o->next;
    }
    return all;
}

static void
resume_all(struct fm__offer *o)
{
    while (o) {
        struct fm__offer *next = o->next; /* o ends with its wait */

        fm_resume_later(o->waiter);
        o = next;
    }
}

void
fm_abi_channel_close(struct fm_channel *c)
{
    lock_take(&c->lock);
    c->closed = true;
    fm_waiter *waiter = c->waiter;
    if (waiter)
        fm_abi_place_end(waiter, false);
    c->waiter = NULL;
    struct fm__offer *senders = take_all(c, true);
    struct fm__offer *receivers = take_all(c, false);
    lock_give(&c->lock);
    fm__waiter_wake(waiter);
    resume_all(senders);
    resume_all(receivers);
}

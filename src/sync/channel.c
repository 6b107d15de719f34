/* channel.c: values from task to task.
 *
 * A value goes straight from the sender's memory to the receiver's where one
 * of them waits, else through the ring. The lock is held for a copy and a few
 * links; what is woken is resumed without it.
 */
#include <base/memory.h>
#include <sync/channel.h>
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

void
fm__offer_resume(struct fm__offer *taken)
{
    if (taken)
        fm_resume_later(taken->waiter);
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
fm__channel_send(struct fm_channel *c, const void *value,
                 struct fm__offer **taken)
{
    if (c->closed)
        return TRIED_CLOSED;
    *taken = offer_take(c, false);
    if (*taken) {
        value_copy((*taken)->value, value, c->bytes);
        return TRIED_DONE;
    }
    if (c->count == c->capacity)
        return TRIED_NOTHING;
    value_copy(slot(c, c->count++), value, c->bytes);
    return TRIED_DONE;
}

/* A sender that waits has been waiting for the place that is now free. */
enum fm__tried
fm__channel_receive(struct fm_channel *c, void *out, struct fm__offer **taken)
{
    char *to = out;

    if (c->count) {
        value_copy(out, slot(c, 0), c->bytes);
        c->at = c->at + 1 < c->capacity ? c->at + 1 : 0;
        c->count--;
        to = slot(c, c->count);
    }
    *taken = offer_take(c, true);
    if (*taken) {
        value_copy(to, (*taken)->value, c->bytes);
        c->count += to != out;
        return TRIED_DONE;
    }
    if (to != out)
        return TRIED_DONE;
    return c->closed ? TRIED_CLOSED : TRIED_NOTHING;
}

/* The first in the queue goes, to whom somebody waits for this alone. */
static inline void
offer_take_first(struct fm__offers *q, struct fm__offer *o)
{
    q->first = o->next;
    if (o->next)
        o->next->prev = NULL;
    else
        q->last = NULL;
    o->queued = false;
}

static inline enum fm__tried
try_send(struct fm_channel *c, const void *value)
{
    struct fm__offer *taken = NULL, *first;
    enum fm__tried tried = TRIED_DONE;

    lock_take(&c->lock);
    first = c->receivers.first; /* none in one that is closed */
    if (likely(first != NULL) && likely(!first->party)) {
        offer_take_first(&c->receivers, first);
        value_copy(first->value, value, c->bytes);
        lock_give(&c->lock);
        fm_resume_later(first->waiter);
        return TRIED_DONE;
    }
    tried = fm__channel_send(c, value, &taken);
    lock_give(&c->lock);
    fm__offer_resume(taken);
    return tried;
}

static inline enum fm__tried
try_receive(struct fm_channel *c, void *out)
{
    struct fm__offer *taken = NULL;
    enum fm__tried tried;

    lock_take(&c->lock);
    if (!c->count && !c->senders.first) {
        tried = c->closed ? TRIED_CLOSED : TRIED_NOTHING;
        lock_give(&c->lock);
        return tried;
    }
    tried = fm__channel_receive(c, out, &taken);
    lock_give(&c->lock);
    fm__offer_resume(taken);
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
    struct fm__offer *taken = NULL;

    w->offer.waiter = waiter;
    if (fm__alone()) { /* nothing has run since the try */
        fm__offer_add(c, w->sends, &w->offer);
        return;
    }
    lock_take(&c->lock);
    enum fm__tried tried = w->sends
                               ? fm__channel_send(c, w->offer.value, &taken)
                               : fm__channel_receive(c, w->offer.value, &taken);
    if (tried == TRIED_NOTHING)
        fm__offer_add(c, w->sends, &w->offer);
    else if (tried == TRIED_CLOSED)
        one_closed(w);
    lock_give(&c->lock);
    fm__offer_resume(taken);
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

/* What was not done at once. */
__attribute__((noinline)) static fm_async void
send_goes_on(struct fm_channel *c, const void *value, enum fm__tried tried)
{
    if (tried == TRIED_CLOSED)
        fm_abi_throw(closed.code, closed.function, NULL, 0, "%s", closed.text);
    fm_await send_waits(c, value);
}

__attribute__((noinline)) static fm_async void
send_rarely(struct fm_channel *c, const void *value, enum fm_abi_go go)
{
    if (go == FM_ABI_CANCELLED)
        fm_await fm_raise_cancelled();
    enum fm__tried tried = try_send(c, value);
    if (tried != TRIED_DONE)
        fm_await send_goes_on(c, value, tried);
    else if (go == FM_ABI_GO_YIELD)
        fm_await fm__sync_yield();
}

/* What these two do in most cases needs no frame of their own. */
fm_async void
fm_abi_send(struct fm_channel *c, const void *value)
{
    enum fm_abi_go go = fm_abi_may_go();

    if (unlikely(go != FM_ABI_GO)) {
        fm_await send_rarely(c, value, go);
        return;
    }
    enum fm__tried tried = try_send(c, value);
    if (unlikely(tried != TRIED_DONE))
        fm_await send_goes_on(c, value, tried);
}

__attribute__((noinline)) static fm_async bool
receive_rarely(struct fm_channel *c, void *out, enum fm_abi_go go)
{
    if (go == FM_ABI_CANCELLED)
        fm_await fm_raise_cancelled();
    enum fm__tried tried = try_receive(c, out);
    if (tried == TRIED_NOTHING)
        return fm_await receive_waits(c, out);
    if (go == FM_ABI_GO_YIELD)
        fm_await fm__sync_yield();
    return tried == TRIED_DONE;
}

fm_async bool
fm_abi_receive(struct fm_channel *c, void *out)
{
    enum fm_abi_go go = fm_abi_may_go();

    if (unlikely(go != FM_ABI_GO))
        return fm_await receive_rarely(c, out, go);
    enum fm__tried tried = try_receive(c, out);
    if (tried == TRIED_NOTHING)
        return fm_await receive_waits(c, out);
    return tried == TRIED_DONE;
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
    if (c->senders.first || c->receivers.first)
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

        fm__offer_resume(o);
        o = next;
    }
}

void
fm_abi_channel_close(struct fm_channel *c)
{
    lock_take(&c->lock);
    c->closed = true;
    struct fm__offer *senders = take_all(c, true);
    struct fm__offer *receivers = take_all(c, false);
    lock_give(&c->lock);
    resume_all(senders);
    resume_all(receivers);
}

/* channel.c: values from task to task.
 *
 * A value goes straight from the sender's memory to the receiver's where one
 * of them waits, else through the ring. The lock is held for a copy and a few
 * links; what is woken is resumed without it.
 */
#include <sync/channel.h>
#include <sync/line.h>

#include <stdlib.h>
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
        if (fm__party_decide(o->party, o->index + 1))
            return o;
    }
    return NULL;
}

void
fm__offer_resume(struct fm__offer *taken)
{
    if (taken)
        fm_resume_later(taken->party->waiter);
}

/* ---- tries, under the lock ---- */

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
        memcpy((*taken)->value, value, c->bytes);
        (*taken)->done = true;
        return TRIED_DONE;
    }
    if (c->count == c->capacity)
        return TRIED_NOTHING;
    memcpy(slot(c, c->count++), value, c->bytes);
    return TRIED_DONE;
}

/* A sender that waits has been waiting for the place that is now free. */
enum fm__tried
fm__channel_receive(struct fm_channel *c, void *out, struct fm__offer **taken)
{
    char *to = out;

    if (c->count) {
        memcpy(out, slot(c, 0), c->bytes);
        c->at = c->at + 1 < c->capacity ? c->at + 1 : 0;
        c->count--;
        to = slot(c, c->count);
    }
    *taken = offer_take(c, true);
    if (*taken) {
        memcpy(to, (*taken)->value, c->bytes);
        (*taken)->done = true;
        c->count += to != out;
        return TRIED_DONE;
    }
    if (to != out)
        return TRIED_DONE;
    return c->closed ? TRIED_CLOSED : TRIED_NOTHING;
}

static enum fm__tried
try(struct fm_channel *c, bool sends, void *value)
{
    struct fm__offer *taken = NULL;

    lock_take(&c->lock);
    enum fm__tried tried = sends ? fm__channel_send(c, value, &taken)
                                 : fm__channel_receive(c, value, &taken);
    lock_give(&c->lock);
    fm__offer_resume(taken);
    return tried;
}

/* ---- a wait for one operation ---- */

struct one {
    struct fm__party party;
    struct fm__offer offer;
    struct fm_channel *channel;
    bool sends;
};

static void
arm(fm_waiter *waiter, void *arg)
{
    struct one *w = arg;
    struct fm_channel *c = w->channel;
    struct fm__offer *taken = NULL;

    w->party.waiter = waiter;
    w->offer.party = &w->party;
    lock_take(&c->lock);
    enum fm__tried tried = w->sends
                               ? fm__channel_send(c, w->offer.value, &taken)
                               : fm__channel_receive(c, w->offer.value, &taken);
    w->offer.done = tried == TRIED_DONE;
    if (tried == TRIED_NOTHING)
        fm__offer_add(c, w->sends, &w->offer);
    lock_give(&c->lock);
    fm__offer_resume(taken);
    if (tried != TRIED_NOTHING)
        fm_resume(waiter);
}

static bool
disarm(fm_waiter *waiter, void *arg)
{
    struct one *w = arg;
    struct fm_channel *c = w->channel;

    (void)waiter;
    if (!fm__party_decide(&w->party, PARTY_LEFT))
        return false;
    lock_take(&c->lock);
    fm__offer_remove(c, w->sends, &w->offer);
    lock_give(&c->lock);
    return true;
}

/* True: done; false: closed. */
static inline fm_async bool
wait_for(struct fm_channel *c, bool sends, void *value)
{
    struct one w = {.channel = c, .sends = sends, .offer.value = value};

    if (!fm_await fm_suspend_until(arm, disarm, &w))
        fm_await fm_raise_cancelled();
    return w.offer.done;
}

/* ---- the operations ---- */

static void
value_free(char **copy)
{
    free(*copy);
}

/* The value may lie in the block of who started this as a task, and that may
 * be left by now. */
__attribute__((noinline)) static fm_async bool
send_small(struct fm_channel *c, const void *value)
{
    _Alignas(16) char copy[64];

    memcpy(copy, value, c->bytes);
    return fm_await wait_for(c, true, copy);
}

__attribute__((noinline)) static fm_async bool
send_large(struct fm_channel *c, const void *value)
{
    FM__CLEANUP(value_free) char *copy = malloc(c->bytes);

    if (!copy)
        fm_throw(ENOMEM, "fm_send: out of memory");
    memcpy(copy, value, c->bytes);
    return fm_await wait_for(c, true, copy);
}

fm_async void
fm_abi_send(struct fm_channel *c, const void *value)
{
    bool sent = true;

    if (fm_cancel_pending())
        fm_await fm_raise_cancelled();
    enum fm__tried tried = try(c, true, (void *)(uintptr_t)value);
    if (tried == TRIED_NOTHING)
        sent = c->bytes <= 64 ? fm_await send_small(c, value)
                              : fm_await send_large(c, value);
    if (!sent || tried == TRIED_CLOSED)
        fm_abi_throw(EPIPE, "fm_send", NULL, 0,
                     "fm_send: the channel is closed");
    fm_await fm__sync_breathe();
}

__attribute__((noinline)) static fm_async bool
receive_slow(struct fm_channel *c, void *out)
{
    return fm_await wait_for(c, false, out);
}

fm_async bool
fm_abi_receive(struct fm_channel *c, void *out)
{
    if (fm_cancel_pending())
        fm_await fm_raise_cancelled();
    enum fm__tried tried = try(c, false, out);
    if (tried == TRIED_NOTHING)
        return fm_await receive_slow(c, out);
    fm_await fm__sync_breathe();
    return tried == TRIED_DONE;
}

bool
fm_abi_try_send(struct fm_channel *c, const void *value)
{
    return try(c, true, (void *)(uintptr_t)value) == TRIED_DONE;
}

bool
fm_abi_try_receive(struct fm_channel *c, void *out)
{
    return try(c, false, out) == TRIED_DONE;
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
    c = aligned_alloc(16, room & ~(size_t)15);
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
    free(c);
}

/* Takes all of one queue; linked by next. */
static struct fm__offer *
take_all(struct fm_channel *c, bool sends)
{
    struct fm__offer *all = NULL, **end = &all, *o;

    while ((o = offer_take(c, sends))) {
        o->done = false;
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

/* select.c: the first of several channel operations that can be done.
 *
 * An offer stands in the queue of each channel, all of one party; whoever
 * takes one decides the party, and the others are void from then on: who
 * meets one throws it out (channel.c), and the selector takes the rest out
 * when it goes on. It tries and queues with the locks of all its channels
 * held, in the order of their addresses: so it never has to decide about
 * itself and another at once.
 */
#include <base/memory.h>
#include <sync/channel.h>
#include <sync/line.h>

#include <stdlib.h>
#include <string.h>

enum { INSIDE = 8 }; /* choices that need no memory of their own */

struct select {
    struct fm__party party;
    fm_choice *choices;
    struct fm__offer *offers;
    fm_channel **sorted;
    int n;
    int at_once; /* the choice that was done while it armed, or -1 */
    bool done;   /* not closed instead */
    void *block; /* malloced */
};

/* ---- all locks ---- */

static int
by_address(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)*(fm_channel *const *)a;
    uintptr_t y = (uintptr_t)*(fm_channel *const *)b;

    return x < y ? -1 : x > y;
}

static void
lock_all(struct select *s)
{
    for (int i = 0; i < s->n; i++)
        if (!i || s->sorted[i] != s->sorted[i - 1])
            lock_take(&s->sorted[i]->lock);
}

static void
unlock_all(struct select *s)
{
    for (int i = 0; i < s->n; i++)
        if (!i || s->sorted[i] != s->sorted[i - 1])
            lock_give(&s->sorted[i]->lock);
}

/* ---- trying, under them ---- */

static int
try_all(struct select *s, fm_waiter **woken)
{
    for (int i = 0; i < s->n; i++) {
        const fm_choice *c = &s->choices[i];
        enum fm__tried tried =
            c->sends ? fm__channel_send(c->channel, c->value, woken)
                     : fm__channel_receive(c->channel, c->value, woken);
        if (tried != TRIED_NOTHING) {
            s->done = tried == TRIED_DONE;
            return i;
        }
    }
    return -1;
}

static void
queue_all(struct select *s)
{
    for (int i = 0; i < s->n; i++) {
        s->offers[i].party = &s->party;
        s->offers[i].value = s->choices[i].value;
        s->offers[i].waiter = s->party.waiter;
        s->offers[i].index = (uint32_t)i;
        s->offers[i].done = true;
        fm__offer_add(s->choices[i].channel, s->choices[i].sends,
                      &s->offers[i]);
    }
}

/* Returns the choice that was done. -1: none; then, if it is to wait, it is
 * queued, and another thread may go on with s already. */
static int
begin(struct select *s, bool wait)
{
    fm_waiter *woken = NULL;

    lock_all(s);
    int done = s->at_once = try_all(s, &woken);
    if (wait && done < 0)
        queue_all(s);
    unlock_all(s);
    fm__waiter_wake(woken);
    return done;
}

/* ---- the wait ---- */

static void
arm(fm_waiter *waiter, void *arg)
{
    struct select *s = arg;

    s->party.waiter = waiter;
    if (begin(s, true) >= 0)
        fm_resume(waiter);
}

static bool
disarm(fm_waiter *waiter, void *arg)
{
    struct select *s = arg;

    (void)waiter;
    return fm__party_decide(&s->party, PARTY_LEFT);
}

static fm_async bool
wait_until(struct select *s, int64_t ns)
{
    fm_with_timeout(ns);
    return fm_await fm_suspend_until(arm, disarm, s);
}

/* Takes out what is still queued. */
static void
finish(struct select *s)
{
    lock_all(s);
    for (int i = 0; i < s->n; i++)
        fm__offer_remove(s->choices[i].channel, s->choices[i].sends,
                         &s->offers[i]);
    unlock_all(s);
    fm__sys_free(s->block);
}

/* The index of what was done, -1 if nothing was. */
static int
outcome(struct select *s)
{
    uint32_t decided = atomic_load(&s->party.decided);
    int i = s->at_once;

    if (i < 0 && decided != PARTY_OPEN && decided != PARTY_LEFT) {
        i = (int)decided - 1;
        s->done = s->offers[i].done;
    }
    if (i >= 0 && !s->choices[i].sends && s->choices[i].more)
        *s->choices[i].more = s->done;
    return i;
}

struct inside {
    fm_choice choices[INSIDE];
    struct fm__offer offers[INSIDE];
    fm_channel *sorted[INSIDE];
};

/* Everything in the frame, or in one block; false: no memory. The choices are
 * copied: those of a select that was started as a task may lie in a block
 * that is left by now. */
static bool
room(struct select *s, struct inside *in, const fm_choice *choices)
{
    size_t n = (size_t)s->n;

    s->choices = in->choices;
    s->offers = in->offers;
    s->sorted = in->sorted;
    if (n > INSIDE) {
        s->block = fm__sys_alloc_zeroed(
            n * (sizeof *s->choices + sizeof *s->offers + sizeof *s->sorted));
        if (!s->block)
            return false;
        s->choices = s->block;
        s->offers = (struct fm__offer *)(s->choices + n);
        s->sorted = (fm_channel **)(s->offers + n);
    }
    memcpy(s->choices, choices, n * sizeof *choices);
    for (int i = 0; i < s->n; i++)
        s->sorted[i] = s->choices[i].channel;
    qsort(s->sorted, n, sizeof *s->sorted, by_address);
    return true;
}

static fm_async int
choose(int64_t ns, const fm_choice *choices, int n)
{
    struct inside in = {0};
    FM__CLEANUP(finish) struct select s = {0};

    s.n = n;
    s.at_once = -1;
    if (!room(&s, &in, choices)) {
        s.n = 0;
        fm_throw(ENOMEM, "fm_select: out of memory");
    }
    if (begin(&s, false) < 0 && ns > 0 &&
        !(ns == FM_FOREVER ? fm_await fm_suspend_until(arm, disarm, &s)
                           : fm_await wait_until(&s, ns)))
        fm_await fm_raise_cancelled();
    int done = outcome(&s);
    if (done >= 0 && s.choices[done].sends && !s.done)
        fm_throw(EPIPE, "fm_select: the channel is closed");
    return done;
}

fm_async int
fm_abi_select(int64_t ns, const fm_choice *choices, int n)
{
    enum fm_abi_go go = fm_abi_may_go();

    if (go == FM_ABI_CANCELLED)
        fm_await fm_raise_cancelled();
    while (n > 0 && !choices[n - 1].channel)
        n--;
    if (n < 1)
        fm_throw(EINVAL, "fm_select: of nothing");
    n = fm_await choose(ns, choices, n);
    if (go == FM_ABI_GO_YIELD)
        fm_await fm__sync_yield();
    return n;
}

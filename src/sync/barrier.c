/* barrier.c: a meeting of n.
 *
 * The line's state is how many stand in it. Nobody is let go one by one: who
 * comes last takes the whole line.
 */
#include <sync/line.h>

/* Under the lock: the last of the round lets the others go. */
static bool
complete(struct fm_barrier *b, struct fm__wait **others)
{
    if (b->line.state + 1 < b->parties)
        return false;
    *others = b->line.first;
    for (struct fm__wait *w = *others; w; w = w->next)
        w->queued = false;
    b->line.first = b->line.last = NULL;
    b->line.state = 0;
    return true;
}

struct meeting {
    struct fm__wait wait; /* first */
    struct fm_barrier *barrier;
};

static void
arm(fm_waiter *waiter, void *arg)
{
    struct meeting *m = arg;
    struct fm_line *line = &m->barrier->line;
    struct fm__wait *others = NULL;

    m->wait.park.waiter = waiter;
    lock_take(fm__line_lock(line));
    bool last = m->wait.park.value = complete(m->barrier, &others);
    if (!last) {
        fm__line_add(line, &m->wait);
        line->state++;
    }
    lock_give(fm__line_lock(line));
    fm__line_resume(others);
    if (last)
        fm_resume(waiter);
}

static bool
disarm(fm_waiter *waiter, void *arg)
{
    struct meeting *m = arg;
    struct fm_line *line = &m->barrier->line;

    (void)waiter;
    lock_take(fm__line_lock(line));
    bool queued = m->wait.queued;
    if (queued) {
        fm__line_remove(line, &m->wait);
        line->state--;
    }
    lock_give(fm__line_lock(line));
    return queued;
}

void
fm_barrier_init(fm_barrier *b, size_t parties)
{
    *b = (fm_barrier){.parties = parties};
}

void
fm_barrier_fini(fm_barrier *b)
{
    fm__line_fini(&b->line, "fm_barrier_fini: a task waits for it");
}

fm_async bool
fm_barrier_wait(fm_barrier *b)
{
    struct meeting *m;

    if (fm_cancel_pending())
        fm_await fm_raise_cancelled();
    m = fm_abi_park_new(sizeof *m, arm, disarm);
    if (m) {
        m->barrier = b;
        m->wait.take = NULL;
    }
    return fm_await fm_abi_park_value(m);
}

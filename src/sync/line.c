/* line.c: who waits for something that one has at a time?
 *
 * Gives the queue under mutex, semaphore, event and barrier. The trick is
 * hand-over: whoever gives something back takes it for the first in the line,
 * under the lock, before that one is woken. So nobody overtakes, and a wait
 * that is given up either still stands in the queue and is taken out, or has
 * what it waited for.
 */
#include <sync/line.h>

#include <stdio.h>
#include <stdlib.h>

void
fm__sync_die(const char *what)
{
    fprintf(stderr, "fermata: %s\n", what);
    abort();
}

void
fm__line_add(struct fm_line *line, struct fm__wait *w)
{
    struct fm__wait *last = line->last;

    w->next = NULL;
    w->prev = last;
    w->queued = true;
    if (last)
        last->next = w;
    else
        line->first = w;
    line->last = w;
}

void
fm__line_remove(struct fm_line *line, struct fm__wait *w)
{
    if (w->prev)
        w->prev->next = w->next;
    else
        line->first = w->next;
    if (w->next)
        w->next->prev = w->prev;
    else
        line->last = w->prev;
    w->queued = false;
}

struct fm__wait *
fm__line_grant(struct fm_line *line)
{
    struct fm__wait *granted = NULL, **end = &granted, *w;

    while ((w = line->first) && w->take && w->take(line, w->n)) {
        fm__line_remove(line, w);
        w->next = NULL;
        *end = w;
        end = &w->next;
    }
    return granted;
}

void
fm__line_resume(struct fm__wait *w)
{
    while (w) {
        struct fm__wait *next = w->next; /* w ends with its wait */

        fm_resume_later(w->park.waiter);
        w = next;
    }
}

bool
fm__line_try(struct fm_line *line, size_t n,
             bool (*take)(struct fm_line *line, size_t n))
{
    lock_take(fm__line_lock(line));
    bool taken = !line->first && take(line, n);
    lock_give(fm__line_lock(line));
    return taken;
}

static void
arm(fm_waiter *waiter, void *arg)
{
    struct fm__wait *w = arg;
    struct fm_line *line = w->line;

    w->park.waiter = waiter;
    lock_take(fm__line_lock(line));
    bool now = !line->first && w->take(line, w->n);
    if (!now)
        fm__line_add(line, w);
    lock_give(fm__line_lock(line));
    if (now)
        fm_resume(waiter);
}

/* Those behind may be content with less than this one was. */
static bool
disarm(fm_waiter *waiter, void *arg)
{
    struct fm__wait *w = arg, *granted = NULL;
    struct fm_line *line = w->line;

    (void)waiter;
    lock_take(fm__line_lock(line));
    bool queued = w->queued;
    if (queued) {
        fm__line_remove(line, w);
        granted = fm__line_grant(line);
    }
    lock_give(fm__line_lock(line));
    fm__line_resume(granted);
    return queued;
}

__attribute__((noinline)) static fm_async void
waits(struct fm_line *line, size_t n,
      bool (*take)(struct fm_line *line, size_t n))
{
    struct fm__wait *w = fm_abi_park_new(sizeof *w, arm, disarm);

    if (w) {
        w->line = line;
        w->n = n;
        w->take = take;
    }
    fm_await fm_abi_park_on(w);
}

static void
queue(fm_waiter *waiter, void *arg)
{
    (void)arg;
    fm_resume_later(waiter);
}

/* Without memory others have no turn; what was done is done. */
__attribute__((noinline)) fm_async void
fm__sync_yield(void)
{
    (void)(fm_await fm_attempt(NULL, fm_suspend(queue, NULL)));
}

fm_async void
fm__line_wait(struct fm_line *line, size_t n,
              bool (*take)(struct fm_line *line, size_t n))
{
    enum fm_abi_go go = fm_abi_may_go();

    if (go == FM_ABI_CANCELLED)
        fm_await fm_raise_cancelled();
    if (!fm__line_try(line, n, take))
        fm_await waits(line, n, take);
    else if (go == FM_ABI_GO_YIELD)
        fm_await fm__sync_yield();
}

void
fm__line_fini(struct fm_line *line, const char *what)
{
    lock_take(fm__line_lock(line));
    bool used = line->first != NULL;
    lock_give(fm__line_lock(line));
    if (used)
        fm__sync_die(what);
}

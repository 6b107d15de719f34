/* event.c: set or not. */
#include <sync/line.h>

static bool
take(struct fm_line *line, size_t n)
{
    (void)n;
    return line->state;
}

void
fm_event_init(fm_event *e)
{
    *e = (fm_event){0};
}

void
fm_event_fini(fm_event *e)
{
    fm__line_fini(&e->line, "fm_event_fini: a task waits for it");
}

fm_async void
fm_event_wait(fm_event *e)
{
    fm_await fm__line_wait(&e->line, 0, take);
}

void
fm_event_set(fm_event *e)
{
    lock_take(fm__line_lock(&e->line));
    e->line.state = 1;
    struct fm__wait *granted = fm__line_grant(&e->line);
    lock_give(fm__line_lock(&e->line));
    fm__line_resume(granted);
}

void
fm_event_reset(fm_event *e)
{
    lock_take(fm__line_lock(&e->line));
    e->line.state = 0;
    lock_give(fm__line_lock(&e->line));
}

/* Under the lock, so that whoever sees it set may end it: the setter does not
 * touch it any more. */
bool
fm_event_is_set(fm_event *e)
{
    return fm__line_try(&e->line, 0, take);
}

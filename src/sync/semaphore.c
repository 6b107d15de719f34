/* semaphore.c: n at a time. */
#include <sync/line.h>

static bool
take(struct fm_line *line, size_t n)
{
    if (line->state < n)
        return false;
    line->state -= n;
    return true;
}

void
fm_sem_init(fm_sem *s, size_t count)
{
    *s = (fm_sem){.line.state = count};
}

void
fm_sem_fini(fm_sem *s)
{
    fm__line_fini(&s->line, "fm_sem_fini: a task waits for it");
}

fm_async void
fm_sem_wait(fm_sem *s, size_t n)
{
    fm_await fm__line_wait(&s->line, n, take);
}

bool
fm_sem_try(fm_sem *s, size_t n)
{
    return fm__line_try(&s->line, n, take);
}

void
fm_sem_post(fm_sem *s, size_t n)
{
    lock_take(fm__line_lock(&s->line));
    bool fits = s->line.state <= SIZE_MAX - n;
    s->line.state += n;
    struct fm__wait *granted = fm__line_grant(&s->line);
    lock_give(fm__line_lock(&s->line));
    if (!fits)
        fm__sync_die("fm_sem_post: more than SIZE_MAX");
    fm__line_resume(granted);
}

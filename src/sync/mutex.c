/* mutex.c: one at a time. */
#include <sync/line.h>

/* state: 1 = somebody has it. */
static bool
take(struct fm_line *line, size_t n)
{
    (void)n;
    if (line->state)
        return false;
    line->state = 1;
    return true;
}

void
fm_mutex_init(fm_mutex *m)
{
    *m = (fm_mutex)FM_MUTEX_INIT;
}

void
fm_mutex_fini(fm_mutex *m)
{
    fm__line_fini(&m->line, "fm_mutex_fini: a task waits for it");
}

fm_async void
fm_lock(fm_mutex *m)
{
    fm_await fm__line_wait(&m->line, 1, take);
}

bool
fm_try_lock(fm_mutex *m)
{
    return fm__line_try(&m->line, 1, take);
}

void
fm_unlock(fm_mutex *m)
{
    lock_take(fm__line_lock(&m->line));
    bool held = m->line.state;
    m->line.state = 0;
    struct fm__wait *granted = fm__line_grant(&m->line);
    lock_give(fm__line_lock(&m->line));
    if (!held)
        fm__sync_die("fm_unlock: nobody has it");
    fm__line_resume(granted);
}

fm_async fm_mutex *
fm_abi_lock(fm_mutex *m)
{
    fm_await fm__line_wait(&m->line, 1, take);
    return m;
}

void
fm_abi_unlock(fm_mutex **m)
{
    fm_unlock(*m);
}

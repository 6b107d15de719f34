/* reactor.c: a loop for threads that have a scheduler of their own: the pool's.
 *
 * Gives what a worker needs to park where its tasks' descriptors and timers
 * are, and to serve a worker that is busy. A timer notes whose it is: on a
 * pool it is stopped on whatever worker its task runs then.
 */
#include <base/memory.h>
#include <io/loop.h>
#include <sys/epoll.h>

struct fm_reactor {
    struct fm__loop *loop;
    int n; /* events that came and were not handed out */
    struct epoll_event events[FM__EVENTS_A_TURN];
};

fm_reactor *
fm_abi_reactor_new(void)
{
    fm_reactor *r = fm__sys_alloc(sizeof(*r));
    if (!r)
        return NULL;
    r->n = 0;
    r->loop = fm__loop_served_new();
    if (r->loop)
        return r;
    fm__sys_free(r);
    return NULL;
}

void
fm_abi_reactor_free(fm_reactor *r)
{
    fm__loop_served_free(r->loop);
    fm__sys_free(r);
}

/* What only ended its sleep is nothing to serve. */
static int
drop_wakes(fm_reactor *r, int n)
{
    int left = 0;
    for (int i = 0; i < n; i++) {
        if (r->events[i].data.u64)
            r->events[left++] = r->events[i];
        else
            fm__loop_take_wake(r->loop);
    }
    return left;
}

bool
fm_abi_reactor_sleep(fm_reactor *r, int64_t ns)
{
    r->n = drop_wakes(r, fm__loop_sleep(r->loop, r->events, ns));
    return r->n > 0 || fm__loop_is_due(r->loop);
}

void
fm_abi_reactor_serve(fm_reactor *r)
{
    int n = r->n;
    r->n = 0;
    fm__loop_serve(r->loop, r->events, n);
    fm__loop_jobs(r->loop);
}

void
fm_abi_reactor_serve_other(fm_reactor *r)
{
    fm__loop_serve_other(r->loop);
}

void
fm_abi_reactor_wake(fm_reactor *r)
{
    fm__loop_wake(r->loop);
}

void
fm_abi_reactor_timer_start(fm_reactor *r, fm_timer *timer)
{
    timer->owner = r->loop;
    fm__loop_timer_start(r->loop, timer);
}

bool
fm_abi_reactor_timer_stop(fm_timer *timer)
{
    return fm__loop_timer_stop(timer->owner, timer);
}

/* sleep.c: waits for time to pass. */
#include <fermata/io.h>
#include <io/loop.h>

struct sleep {
    fm_timer timer; /* first: fire finds the rest behind it */
    fm_waiter *waiter;
    fm_executor *executor;
    atomic_bool fired; /* the loop beside fires on its own thread */
};

static void
fire(fm_timer *timer)
{
    struct sleep *s = (struct sleep *)timer;
    atomic_store_explicit(&s->fired, true, memory_order_relaxed);
    fm_resume(s->waiter);
}

static void
arm(fm_waiter *waiter, void *arg)
{
    struct sleep *s = arg;
    s->waiter = waiter;
    s->executor = fm_executor_self();
    fm_executor_timer_start(s->executor, &s->timer);
}

static bool
disarm(fm_waiter *waiter, void *arg)
{
    struct sleep *s = arg;
    (void)waiter;
    if (atomic_load_explicit(&s->fired, memory_order_relaxed))
        return false;
    return fm_executor_timer_stop(s->executor, &s->timer);
}

fm_async bool
fm__sleep(int64_t ns)
{
    int64_t now = fm_now();
    struct sleep s = {.timer.fire = fire};
    s.timer.deadline = ns < FM_FOREVER - now ? now + ns : FM_FOREVER;
    return fm_await fm_suspend_until(arm, disarm, &s);
}

fm_async void
fm_sleep(int64_t ns)
{
    if (ns > 0) {
        if (!fm_await fm__sleep(ns))
            fm_await fm_raise_cancelled();
        return;
    }
    fm_await fm_raise_cancelled();
    fm_await fm_yield();
}

/* sleep.c: waits for time to pass. */
#include <fermata/io.h>
#include <io/loop.h>

struct sleep {
    struct fm_abi_park park; /* first */
    fm_timer timer;
    fm_executor *executor;
    atomic_bool fired; /* the loop beside fires on its own thread */
};

static void
fire(fm_timer *timer)
{
    struct sleep *s =
        (struct sleep *)((char *)timer - offsetof(struct sleep, timer));
    atomic_store_explicit(&s->fired, true, memory_order_relaxed);
    fm_resume_later(s->park.waiter);
}

static void
arm(fm_waiter *waiter, void *arg)
{
    struct sleep *s = arg;
    s->park.waiter = waiter;
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

static void
begin(struct sleep *s, int64_t ns)
{
    int64_t now = fm_now();
    s->timer.deadline = ns < FM_FOREVER - now ? now + ns : FM_FOREVER;
    s->timer.fire = fire;
    atomic_init(&s->fired, false);
}

fm_async bool
fm__sleep(int64_t ns)
{
    struct sleep s;
    begin(&s, ns);
    return fm_await fm_suspend_until(arm, disarm, &s);
}

__attribute__((noinline)) static fm_async void
sleep_not_at_all(void)
{
    fm_await fm_raise_cancelled();
    fm_await fm_yield();
}

/* The sleeper has no frame for it: what a sleep needs is one block. */
fm_async void
fm_sleep(int64_t ns)
{
    if (ns <= 0 || fm_cancel_pending()) {
        fm_await sleep_not_at_all();
        return;
    }
    struct sleep *s = fm_abi_park_new(sizeof *s, arm, disarm);
    if (s)
        begin(s, ns);
    fm_await fm_abi_park_on(s);
}

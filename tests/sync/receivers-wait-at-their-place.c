// A receiver that waits alone, without any memory, gets its value, its
// cancellation or the end of the channel from any thread, in its turn.
// threads
#include <errno.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static FM_CHANNEL(int) c;

static async int
receives(void)
{
    int v = -1;
    bool more = await fm_receive(c, &v);

    return more ? v : -2;
}

static async int
receives_twice(void)
{
    int v = -1;

    await fm_receive(c, &v);
    fm_fault *f = await fm_attempt(NULL, fm_receive(c, &v));
    return f ? 100 * v + fm_fault_code(f) : v;
}

static void
is(int got, int want, const char *what)
{
    if (got != want) {
        printf("%s: %d, not %d\n", what, got, want);
        exit(1);
    }
}

static async void
is_cancelled(FM_TASK(int) t, const char *what)
{
    fm_fault *f = await fm_attempt(NULL, fm_join(t));

    is(f ? fm_fault_code(f) : 0, ECANCELED, what);
}

static async void
in_turn(void)
{
    FM_TASK(int) a = fm_start(receives());
    FM_TASK(int) b = fm_start(receives());
    FM_TASK(int) d = fm_start(receives());
    FM_TASK(int) twice;
    int v;

    fm_cancel(a);
    await fm_yield();
    is(fm_try_send(c, 1), true, "the second one waits");
    await fm_send(c, 2);
    await is_cancelled(a, "the first one");
    is(await fm_join(b), 1, "the second one");
    is(await fm_join(d), 2, "the third one");

    twice = fm_start(receives_twice());
    await fm_send(c, 3);
    fm_cancel(twice);
    is(await fm_join(twice), 300 + ECANCELED, "given, then cancelled");

    twice = fm_start(receives_twice());
    fm_cancel(twice);
    await fm_send(c, 4); /* its wait is not given up yet */
    is(await fm_join(twice), 400 + ECANCELED, "cancelled, then given");
    a = fm_begin(&v, receives());
    await fm_select(0, FM_SEND(c, 5));
    is(await fm_join(a), 5, "one that was begun");
}

static void *
sends(void *value)
{
    if (value)
        while (!fm_try_send(c, (int)(intptr_t)value))
            ;
    else
        fm_channel_close(c);
    return NULL;
}

static async void
from_a_thread(intptr_t value, int want)
{
    FM_TASK(int) t = fm_start(receives());
    pthread_t thread;

    pthread_create(&thread, NULL, sends, (void *)value);
    is(await fm_join(t), want, "from a thread");
    pthread_join(thread, NULL);
}

/* The value goes to the one who was cancelled, or to the next. */
static async void
races(int i)
{
    FM_TASK(int) t = fm_start(receives());
    pthread_t thread;
    int v = 0;

    pthread_create(&thread, NULL, sends, (void *)(intptr_t)i);
    fm_cancel(t);
    fm_fault *f = await fm_attempt(&v, fm_join(t));
    if (f)
        await fm_receive(c, &v);
    is(v, i, "a race");
    pthread_join(thread, NULL);
}

async int
main(void)
{
    c = fm_channel_new(int, 0);
    await in_turn();
    await from_a_thread(7, 7);
    for (int i = 1; i < 50; i++)
        await races(i);
    await from_a_thread(0, -2);
    fm_channel_release(c);
    return 0;
}

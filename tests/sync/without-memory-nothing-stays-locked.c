// Whichever allocation fails in groups, channels and locks, the fault is
// ENOMEM, the tasks of the group end, nothing stays locked, the next one works.
#include "../rt/rounds.h"
#include <fermata/io.h>
#include <fermata/sync.h>

struct large {
    char text[100];
};
static fm_mutex mutex;
static fm_sem sem;
static fm_event event;
static fm_barrier barrier;

static void
left(int *one)
{
    closed += *one;
}
static void
post(fm_sem **s)
{
    fm_sem_post(*s, 1);
}
#define COUNTED __attribute__((cleanup(left))) int one = (opened++, 1)

static async void
sends(FM_CHANNEL(struct large) c, int i)
{
    COUNTED;
    (void)one;
    await fm_send(c, {{(char)i}});
    fm_with_lock(&mutex);
    await fm_yield();
}
static async void
channels(FM_CHANNEL(struct large) c)
{
    struct large out;
    bool more;
    FM_GROUP(g);
    for (int i = 0; i < 4; i++)
        fm_group_start(&g, sends(c, i));
    int got = 0;
    while (got < 4 &&
           await fm_select(FM_MS(300), FM_RECEIVE(c, &out, &more)) == 0)
        got++;
    await fm_group_close(&g); /* raises what a sender raised */
    OK(got == 4);
}

/* More choices than a frame has room for. */
static async void
chooses(FM_CHANNEL(struct large) c, FM_CHANNEL(char) d)
{
    struct large out;
    char byte;
    COUNTED;
    (void)one;
    OK(await fm_select(
           FM_S(5), FM_RECEIVE(c, &out, 0), FM_RECEIVE(c, &out, 0),
           FM_RECEIVE(c, &out, 0), FM_RECEIVE(c, &out, 0),
           FM_RECEIVE(c, &out, 0), FM_RECEIVE(c, &out, 0),
           FM_RECEIVE(c, &out, 0), FM_RECEIVE(c, &out, 0),
           FM_RECEIVE(d, &byte, 0)) == 8);
}
static async void
selects(FM_CHANNEL(struct large) c, FM_CHANNEL(char) d)
{
    FM_TASK(void) t = fm_start(chooses(c, d));
    FM_DEFER {
        fm_fault *f;
        fm_cancel(t);
        fm_try { await fm_get(t); } fm_catch (f) {}
        fm_release(t);
    }
    fm_fault *late;
    fm_try {
        await fm_within(FM_MS(300), fm_send(d, 'x'));
    } fm_catch (late) {
        if (fm_fault_code(late) == ETIMEDOUT)
            await fm_get(t); /* it never came to choose: raises why */
        fm_rethrow(late);
    }
    await fm_get(t);
}

static async void
waits(void)
{
    COUNTED;
    (void)one;
    await fm_event_wait(&event);
    await fm_sem_wait(&sem, 1);
    __attribute__((cleanup(post))) fm_sem *held = &sem;
    (void)held;
    await fm_yield();
    await fm_barrier_wait(&barrier);
}
static async void
locks(void)
{
    FM_GROUP(g);
    fm_event_reset(&event);
    for (int i = 0; i < 3; i++)
        fm_group_start(&g, waits());
    await fm_yield();
    fm_event_set(&event);
    await fm_group_close(&g);
}

/* So many that others have their turn now and then: what was taken, sent or
 * received by then is so. */
static int sent, received;
static async void
turns(FM_CHANNEL(int) c)
{
    int n;
    for (int i = 0; i < 200; i++) {
        await fm_lock(&mutex);
        fm_unlock(&mutex);
        await fm_sem_wait(&sem, 1);
        fm_sem_post(&sem, 1);
        await fm_send(c, sent + 1);
        sent++;
        OK(await fm_receive(c, &n));
        OK(n == ++received);
    }
}

async int
main(void)
{
    FM_CHANNEL(int) numbers = fm_channel_new(int, 2);
    FM_CHANNEL(struct large) c = fm_channel_new(struct large, 0);
    FM_CHANNEL(char) d = fm_channel_new(char, 0);
    FM_DEFER {
        fm_channel_release(c);
        fm_channel_release(d);
        fm_channel_release(numbers);
    }
    if (!c || !d || !numbers)
        fm_throw(ENOMEM, "no channel");
    fm_sem_init(&sem, 3);
    fm_barrier_init(&barrier, 3);
    for (int i = 0; i < 3; i++) {
        ROUND(channels(c));
        OK(fm_try_lock(&mutex));
        fm_unlock(&mutex);
        ROUND(selects(c, d));
        ROUND(locks());
        OK(fm_sem_try(&sem, 3));
        fm_sem_post(&sem, 3);
        ROUND(turns(numbers));
        for (int n; fm_try_receive(numbers, &n);)
            OK(n == ++received);
        OK(sent == received);
        OK(fm_try_lock(&mutex));
        fm_unlock(&mutex);
        OK(fm_sem_try(&sem, 3));
        fm_sem_post(&sem, 3);
    }
    return 0;
}

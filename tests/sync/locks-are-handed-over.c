// Mutex, semaphore, event and barrier serve in order, and lose no grant when
// a waiter is cancelled before, while and after it is granted.
// smoke
#include "../rt/ok.h"
#include <fermata/io.h>
#include <fermata/sync.h>

static char order[64];
static size_t at;

static void note(char c)
{
    if (at < sizeof order - 1)
        order[at++] = c;
}

static void expect(const char *want)
{
    if (strcmp(order, want))
        printf("wanted %s, got %s\n", want, order);
    memset(order, 0, sizeof order);
    at = 0;
}

async void with_mutex(fm_mutex *m, char who, int yields)
{
    fm_with_lock(m);
    note(who);
    for (int i = 0; i < yields; i++)
        await fm_yield();
}

async void mutexes(void)
{
    fm_mutex m = FM_MUTEX_INIT;
    FM_TASK(void) t[5];
    for (int i = 0; i < 5; i++)
        t[i] = fm_start(with_mutex(&m, (char)('a' + i), 3));
    OK(!fm_try_lock(&m));
    fm_cancel(t[2]); /* waits */
    OK(await fm_attempt(NULL, fm_join(t[2])));
    for (int i = 0; i < 5; i++)
        if (i != 2)
            await fm_join(t[i]);
    expect("abde");
    await fm_lock(&m);
    t[0] = fm_start(with_mutex(&m, 'a', 0));
    t[1] = fm_start(with_mutex(&m, 'b', 0));
    fm_unlock(&m);   /* a has it now, and has not run */
    fm_cancel(t[0]); /* too late for this wait, not for the next */
    OK(!fm_try_lock(&m));
    await fm_join(t[0]);
    await fm_join(t[1]);
    expect("ab");
    fm_cancel_source *s = fm_cancel_source_new();
    fm_cancel_source_fire(s);
    {
        fm_with_token(fm_cancel_source_token(s));
        OK(await fm_attempt(NULL, fm_lock(&m))); /* although it is free */
    }
    fm_cancel_source_release(s);
    OK(fm_try_lock(&m));
    fm_unlock(&m);
    fm_mutex_fini(&m);
}

async void with_sem(fm_sem *s, char who, size_t n)
{
    await fm_sem_wait(s, n);
    note(who);
}

async void semaphores(void)
{
    fm_sem s;
    fm_sem_init(&s, 1);
    FM_TASK(void) big = fm_start(with_sem(&s, 'B', 3));
    FM_TASK(void) small = fm_start(with_sem(&s, 's', 1));
    OK(!fm_sem_try(&s, 1)); /* not before those who wait */
    fm_sem_post(&s, 1);
    await fm_yield();
    expect("");
    fm_cancel(big); /* those behind it are content with less */
    OK(await fm_attempt(NULL, fm_join(big)));
    await fm_join(small);
    expect("s");
    OK(fm_sem_try(&s, 1) && !fm_sem_try(&s, 1) && fm_sem_try(&s, 0));
    fm_sem_fini(&s);
}

async void with_event(fm_event *e, char who)
{
    await fm_event_wait(e);
    note(who);
}

async void events(void)
{
    fm_event e = {0};
    FM_GROUP(g);
    for (int i = 0; i < 3; i++)
        fm_group_start(&g, with_event(&e, (char)('a' + i)));
    fm_event_set(&e);
    fm_event_reset(&e); /* they were there before */
    expect(""); /* nobody runs inside set */
    await fm_group_close(&g);
    expect("abc");
    OK(!fm_event_is_set(&e));
    fm_fault *f;
    {
        fm_with_timeout(FM_MS(1));
        f = await fm_attempt(NULL, fm_event_wait(&e));
    }
    OK(f && fm_fault_code(f) == ETIMEDOUT);
    fm_event_set(&e);
    await fm_event_wait(&e);
    fm_event_fini(&e);
}

async void meets(fm_barrier *b, int rounds, int *lasts)
{
    for (int i = 0; i < rounds; i++) {
        note((char)('0' + i));
        *lasts += await fm_barrier_wait(b);
    }
}

async void barriers(void)
{
    fm_barrier b;
    int lasts = 0;
    fm_barrier_init(&b, 3);
    FM_TASK(void) gone = fm_start(meets(&b, 1, &lasts));
    fm_cancel(gone);
    OK(await fm_attempt(NULL, fm_join(gone)));
    expect("0");
    FM_GROUP(g);
    for (int i = 0; i < 3; i++)
        fm_group_start(&g, meets(&b, 4, &lasts));
    await fm_group_close(&g);
    expect("000111222333");
    OK(lasts == 4);
    fm_barrier_fini(&b);
    fm_barrier_init(&b, 1);
    OK(await fm_barrier_wait(&b));
}

async int main(void)
{
    await mutexes();
    await semaphores();
    await events();
    await barriers();
    return 0;
}

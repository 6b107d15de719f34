/* Whatever worker a chain goes on on: its errno, async-local values, deadline
 * and executor come with it, and thread-local variables are the thread's. */
// threads
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { TASKS = 24, STEPS = 200 };
static fm_local key = {"key"};
static _Thread_local pthread_t me;
static _Thread_local bool known;
static atomic_int wrong;

/* The thread's own variable says which thread this is. */
static void
look(void)
{
    pthread_t now = pthread_self();
    if (!known)
        me = now;
    known = true;
    if (!pthread_equal(me, now))
        atomic_fetch_add(&wrong, 1);
}

async void
inner(long n)
{
    fm_with_local(&key, (void *)(uintptr_t)(n + 1000));
    await fm_yield();
    if (fm_local_get(&key) != (void *)(uintptr_t)(n + 1000))
        atomic_fetch_add(&wrong, 1);
}

static void
nothing(void)
{
    errno = (int)(fm_now() % 7) + 1;
}

async long
walks(long n)
{
    fm_with_local(&key, (void *)(uintptr_t)n);
    fm_with_timeout(FM_S(1000));
    for (int i = 0; i < STEPS; i++) {
        errno = (int)(n % 100) + 1;
        if (i % 16 == 5)
            await fm_blocking(nothing()); /* its end comes from outside */
        else if (i % 3 == 0)
            await fm_sleep(FM_US(i % 7));
        else if (i % 3 == 1)
            await inner(n);
        else
            await fm_yield();
        if ((i % 16 != 5 && errno != (int)(n % 100) + 1) ||
            fm_local_get(&key) != (void *)(uintptr_t)n ||
            fm_executor_self() != fm_pool())
            atomic_fetch_add(&wrong, 1);
        look();
    }
    return n;
}

__attribute__((constructor)) static void
size_of_pool(void)
{
    setenv("FERMATA_POOL", "4", 0);
}

async int
main(void)
{
    FM_TASK(long) t[TASKS];
    long sum = 0;

    for (long i = 0; i < TASKS; i++)
        t[i] = fm_start_on(fm_pool(), walks(i));
    for (int i = 0; i < TASKS; i++)
        sum += await fm_join(t[i]);
    printf("%ld, wrong: %d\n", sum, wrong);
    return 0;
}

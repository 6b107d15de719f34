/* A dump shows the stack of a bare fm_suspend and of a blocking call that was
 * cancelled, wherever they wait, while several threads run. */
// threads
// not: alloc
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>
#include <fermata/trace.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic(fm_waiter *) waiters[4];
static sem_t go_on;
static atomic_int blocked;

static void
arm(fm_waiter *w, void *at)
{
    atomic_store((_Atomic(fm_waiter *) *)at, w);
}

async int
first_alone(void)
{
    await fm_suspend(arm, &waiters[0]);
    return 0;
}

async int
second_here(void)
{
    await fm_suspend(arm, &waiters[1]);
    return 1;
}

async int
third_elsewhere(void)
{
    await fm_suspend(arm, &waiters[2]);
    return 2;
}

async int
fourth_in_pool(void)
{
    await fm_suspend(arm, &waiters[3]);
    return 3;
}

static int
blocks(void)
{
    atomic_store(&blocked, 1);
    sem_wait(&go_on);
    return 4;
}

async int
fifth_cancelled(void)
{
    return await fm_blocking(blocks());
}

static const char *const names[] = {"first_alone", "second_here",
                                    "third_elsewhere", "fourth_in_pool",
                                    "fifth_cancelled"};

/* How many of them, from the n-th on, are shown with their stacks. */
static int
shown(int n)
{
    char *text, place[64];
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    int found = 0;

    fm_dump(f);
    fclose(f);
    for (; n < 5; n++) {
        snprintf(place, sizeof place, "at %s (", names[n]);
        found += strstr(text, place) != NULL;
    }
    free(text);
    return found;
}

async int
main(void)
{
    FM_TASK(int) t[5];
    fm_executor *loop;
    int left;

    sem_init(&go_on, 0, 0);
    t[0] = fm_start(first_alone());
    loop = fm_loop_new();
    t[1] = fm_start(second_here());
    t[2] = fm_start_on(loop, third_elsewhere());
    t[3] = fm_start_on(fm_pool(), fourth_in_pool());
    t[4] = fm_start_on(fm_pool(), fifth_cancelled());
    while (!atomic_load(&waiters[2]) || !atomic_load(&waiters[3]) ||
           !atomic_load(&blocked))
        await fm_sleep(FM_MS(1));
    fm_cancel(t[4]);
    while ((left = 5 - shown(0)))
        await fm_sleep(FM_MS(1)); /* the cancelled one is about to settle */
    OK(fm_status(t[4]) == FM_RUNNING);
    /* Seen from another thread, all but the one that began alone. */
    OK(await fm_blocking(shown(1)) == 4);
    for (int i = 0; i < 4; i++)
        fm_resume(atomic_load(&waiters[i]));
    sem_post(&go_on);
    for (int i = 0; i < 5; i++)
        OK(await fm_join(t[i]) == i);
    fm_executor_free(loop);
    return 0;
}

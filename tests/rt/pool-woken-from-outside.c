/* Workers that park all the time miss no job that comes from other threads,
 * from their own tasks or from a timer. */
// threads
// time: 60
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 800 };

async int
tiny(int n)
{
    return n;
}

async int
two_steps(int n)
{
    FM_TASK(int) t = fm_start_on(fm_pool(), tiny(n));
    if (n % 2)
        await fm_yield();
    return await fm_join(t);
}

async int
short_sleep(int n)
{
    await fm_sleep(FM_US(n % 20));
    return n;
}

static void *
poster(void *arg)
{
    unsigned seed = (unsigned)(uintptr_t)arg * 7919u;
    long sum = 0;

    for (int i = 0; i < ROUNDS; i++) {
        FM_TASK(int) t;
        seed = seed * 1664525u + 1013904223u;
        switch (seed >> 30) {
        case 0:
            t = fm_start_on(fm_pool(), short_sleep(i));
            break;
        case 1:
            t = fm_start_on(fm_pool(), two_steps(i));
            break;
        default:
            t = fm_start_on(fm_pool(), tiny(i));
            break;
        }
        sum += fm_wait_task(t);
        fm_release(t);
        if ((seed >> 20) % 8 == 0)
            usleep((seed >> 10) % 60); /* long enough to park */
    }
    return (void *)(uintptr_t)sum;
}

__attribute__((constructor)) static void
size_of_pool(void)
{
    setenv("FERMATA_POOL", "3", 0);
}

int
main(void)
{
    pthread_t threads[THREADS];
    long sum = 0;

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, poster, (void *)(uintptr_t)(i + 1));
    for (int i = 0; i < THREADS; i++) {
        void *got;
        pthread_join(threads[i], &got);
        sum += (long)(uintptr_t)got;
    }
    printf("%ld\n", sum);
    return 0;
}

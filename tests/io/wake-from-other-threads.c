// Sources completed by other threads wake a sleeping loop each time: none of
// 20,000 wakes is lost.
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>
// threads

enum { ROUNDS = 10000 };
static _Atomic(fm_source *) slot[2];

static void *
setter(void *arg)
{
    _Atomic(fm_source *) *mine = arg;
    for (int i = 0; i < ROUNDS; i++) {
        fm_source *s;
        while (!(s = atomic_exchange(mine, NULL)))
            sched_yield();
        if (i % 64 == 0)
            usleep(50);
        fm_source_set((FM_SOURCE(int))s, i);
        fm_source_release((FM_SOURCE(int))s);
    }
    return NULL;
}

async long rounds(int which)
{
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        FM_SOURCE(int) s = fm_source_new(int);
        FM_TASK(int) t = fm_source_task(s);
        atomic_store(&slot[which], (fm_source *)s);
        sum += await fm_join(t);
    }
    return sum;
}

async int main(void)
{
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, setter, &slot[i]);
    FM_TASK(long) other = fm_start(rounds(1));
    long sum = await rounds(0);
    sum += await fm_join(other);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    printf("%s\n", sum == (long)ROUNDS * (ROUNDS - 1) ? "all came" : "?");
    return 0;
}

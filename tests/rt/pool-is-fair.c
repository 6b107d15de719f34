/* On one worker: two tasks that wake each other without end keep neither a
 * task started beside them, nor one from outside, nor a sleeper from running;
 * tasks that yield go round. */
// threads
#include <fermata.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_bool stop;
static atomic_int order[3], here;

/* Each value sent wakes the other, who waits for it. */
async long
pass(FM_CHANNEL(int) from, FM_CHANNEL(int) to, bool begins)
{
    long n = 0;
    int value = 0;
    if (begins)
        await fm_send(to, value);
    while (await fm_receive(from, &value) && !atomic_load(&stop)) {
        n++;
        await fm_send(to, value);
    }
    fm_channel_close(to);
    return n;
}

async int
says(int n)
{
    return n;
}

async int
sleeps(void)
{
    for (int i = 0; i < 5; i++)
        await fm_sleep(FM_MS(1));
    return 3;
}

/* While the two go on. */
async int
beside(void)
{
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += await fm_join(fm_start_on(fm_pool(), says(1)));
    return sum + await fm_join(fm_start_on(fm_pool(), sleeps()));
}

async int
round_and_round(int who)
{
    int ahead = 0;
    atomic_fetch_add(&here, 1);
    while (atomic_load(&here) < 3) /* all three go round from here on */
        await fm_yield();
    for (int i = 0; i < 1000; i++) {
        int mine = atomic_fetch_add(&order[who], 1) + 1;
        for (int k = 0; k < 3; k++) {
            int other = atomic_load(&order[k]);
            if (other && mine - other > ahead)
                ahead = mine - other;
        }
        await fm_yield();
    }
    return ahead;
}

__attribute__((constructor)) static void
size_of_pool(void)
{
    setenv("FERMATA_POOL", "1", 1);
}

async int
main(void)
{
    FM_CHANNEL(int) a = fm_channel_new(int, 1);
    FM_CHANNEL(int) b = fm_channel_new(int, 1);
    FM_TASK(long) x = fm_start_on(fm_pool(), pass(a, b, false));
    FM_TASK(long) y = fm_start_on(fm_pool(), pass(b, a, true));
    FM_TASK(int) t[3];

    printf("beside: %d\n", await fm_join(fm_start_on(fm_pool(), beside())));
    printf("from outside: %d\n",
           await fm_join(fm_start_on(fm_pool(), says(7))));
    atomic_store(&stop, true);
    printf("they went on: %d\n", await fm_join(x) + await fm_join(y) > 10);
    for (int i = 0; i < 3; i++)
        t[i] = fm_start_on(fm_pool(), round_and_round(i));
    for (int i = 0; i < 3; i++)
        printf("ahead by %s\n",
               await fm_join(t[i]) <= 2 ? "two at most" : "more");
    fm_channel_release(a);
    fm_channel_release(b);
    return 0;
}

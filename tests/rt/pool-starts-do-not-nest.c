/* Tasks that each start the next one, more than a worker's queue holds, need
 * no stack for it. */
// threads
#include <fermata.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 300, STEPS = 4000 };
static atomic_long steps, lines;

async void
step(int n)
{
    volatile char used[200] = {0};

    used[n % 200] = 1;
    atomic_fetch_add(&steps, used[n % 200]);
    if (n < STEPS)
        fm_release(fm_start_on(fm_pool(), step(n + 1)));
    else
        atomic_fetch_add(&lines, 1);
}

async void
all(void)
{
    for (int i = 0; i < LINES; i++)
        fm_release(fm_start_on(fm_pool(), step(1)));
    while (atomic_load(&lines) < LINES)
        await fm_yield();
}

__attribute__((constructor)) static void
size_of_pool(void)
{
    setenv("FERMATA_POOL", "1", 0);
}

async int
main(void)
{
    await fm_join(fm_start_on(fm_pool(), all()));
    printf("%ld steps\n", steps);
    return 0;
}

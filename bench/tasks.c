/* tasks.c: s10, a million small tasks on the pool: each ends at once, or
 * yields once. And two tasks that yield. FERMATA_POOL=n workers. */
#include "tasks.h"

#include <fermata.h>

enum { BATCH = 1000 };

async int
small(int i)
{
    return i & 3;
}

async int
yields_once(int i)
{
    await fm_yield();
    return i & 3;
}

async long
batch(bool yields)
{
    FM_TASK(int) t[BATCH];
    long sum = 0;

    for (int i = 0; i < BATCH; i++)
        t[i] = yields ? fm_start_on(fm_pool(), yields_once(i))
                      : fm_start_on(fm_pool(), small(i));
    for (int i = 0; i < BATCH; i++)
        sum += await fm_join(t[i]);
    return sum;
}

async long
tasks(bool yields)
{
    long sum = 0;

    for (int i = 0; i < TASKS / BATCH; i++)
        sum += await batch(yields);
    return sum;
}

async void
yields(void)
{
    for (int i = 0; i < TASKS / 2; i++)
        await fm_yield();
}

async void
two_that_yield(void)
{
    FM_TASK(void) a = fm_start_on(fm_pool(), yields());
    FM_TASK(void) b = fm_start_on(fm_pool(), yields());

    await fm_join(a);
    await fm_join(b);
}

async int
main(void)
{
    struct best once = {.name = "Fermata, at once"};
    struct best one = {.name = "Fermata, with a yield"};
    struct best two = {.name = "Fermata, a yield alone"};

    for (int r = 0; r < ROUNDS; r++) {
        round_begin(&once);
        await fm_join(fm_start_on(fm_pool(), tasks(false)));
        round_end(&once);
        round_begin(&one);
        await fm_join(fm_start_on(fm_pool(), tasks(true)));
        round_end(&one);
        round_begin(&two);
        await two_that_yield();
        round_end(&two);
    }
    best_print(&once);
    best_print(&one);
    best_print(&two);
    return 0;
}

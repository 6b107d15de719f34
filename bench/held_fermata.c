/* held_fermata.c: s8 in Fermata. */
#include "held.h"

#include <fermata.h>

static void **arrays[2]; /* waiters, tasks */

static void
slot_arm(fm_waiter *waiter, void *arg)
{
    *(void **)arg = waiter;
}

LEVEL async int64_t
held_leaf(uint64_t i, int64_t v)
{
    HELD_LOCALS(v);
    await fm_suspend(slot_arm, &arrays[0][i]);
    return a + b + c + d;
}

LEVEL async int64_t
held_middle(uint64_t i, int64_t v)
{
    HELD_LOCALS(v);
    int64_t below = await held_leaf(i, v + 1);
    return a + b + c + d + below;
}

LEVEL async int64_t
held_outer(uint64_t i, int64_t v)
{
    HELD_LOCALS(v);
    int64_t below = await held_middle(i, v + 1);
    return a + b + c + d + below;
}

static void
start(uint64_t i)
{
    arrays[1][i] = (void *)fm_start(held_outer(i, (int64_t)i));
}

static uint64_t
finish(uint64_t i)
{
    FM_TASK(int64_t) t = (FM_TASK(int64_t))arrays[1][i];
    fm_resume((fm_waiter *)arrays[0][i]);
    uint64_t sum = (uint64_t)fm_wait_task(t);
    fm_release(t);
    return sum;
}

int
main(int argc, char **argv)
{
    static const struct held peer = {start, finish};
    return held_main(argc, argv, &peer, arrays);
}

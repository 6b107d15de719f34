// Whichever allocation fails, fm_any returns the index of a task, or raises.
#include "rounds.h"
#include <fermata/io.h>

static async int
later(void)
{
    await fm_sleep(FM_MS(1));
    return 3;
}

__attribute__((noinline)) static async size_t
any(FM_TASK(int) t, FM_TASK(int) u)
{
    return await fm_any_of(t, u);
}

__attribute__((noinline)) static async void
both(FM_TASK(int) t, FM_TASK(int) u)
{
    await fm_all_of(t, u);
}

static async void
races(void)
{
    FM_AUTO FM_TASK(int) t = fm_start(later());
    FM_AUTO FM_TASK(int) u = fm_start(later());
    size_t winner = await any(t, u);

    OK(winner < 2 && fm_status(winner ? u : t) != FM_RUNNING);
    await both(t, u);
    OK(fm_status(t) != FM_RUNNING && fm_status(u) != FM_RUNNING);
}

async int
main(void)
{
    for (int i = 0; i < 3; i++)
        ROUND(races());
    return 0;
}

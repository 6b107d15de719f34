// fm_all_of and fm_any_of may be started as tasks from a block that is left.
// smoke
#include "ok.h"
#include <fermata/io.h>

static async void naps(int ms)
{
    await fm_sleep(FM_MS(ms));
}

static FM_TASK(void) all(FM_TASK(void) a, FM_TASK(void) b)
{
    return fm_start(fm_all_of(a, b));
}

static FM_TASK(size_t) any(FM_TASK(void) a, FM_TASK(void) b)
{
    return fm_start(fm_any_of(a, b));
}

static void overwrite(volatile char *to)
{
    volatile char other[500];
    for (size_t i = 0; i < sizeof other; i++)
        other[i] = (char)i;
    *to = other[sizeof other - 1];
}

async int main(void)
{
    char c;
    FM_TASK(void) a = fm_start(naps(300)), b = fm_start(naps(1));
    FM_TASK(void) both = all(a, b);
    FM_TASK(size_t) first = any(a, b);
    overwrite(&c);
    OK(await fm_join(first) == 1);
    await fm_join(both);
    await fm_join(a);
    await fm_join(b);
    return 0;
}

// Under -finstrument-functions what is entered is left, suspended or not.
// flags: -finstrument-functions
// only: O0 O1 O2 O3 Os
#include <fermata.h>
#include <stdio.h>

#define PLAIN __attribute__((no_instrument_function))
static long entered, inside;

PLAIN void __cyg_profile_func_enter(void *, void *);
PLAIN void __cyg_profile_func_exit(void *, void *);
PLAIN void
__cyg_profile_func_enter(void *f, void *from)
{
    (void)f, (void)from;
    entered++, inside++;
}
PLAIN void
__cyg_profile_func_exit(void *f, void *from)
{
    (void)f, (void)from;
    inside--;
}

static async int
down(int n)
{
    if (n)
        return await down(n - 1) + 1;
    await fm_yield();
    return 0;
}

PLAIN async int
main(void)
{
    long now = inside;
    int n = await down(10);
    FM_TASK(int) t = fm_start(down(5));
    n += await fm_join(t);
    printf("%d %d %ld\n", n, entered >= 17, inside - now);
    return 0;
}

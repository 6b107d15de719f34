// Whichever allocation fails, ENOMEM arrives as a fault, cleanups run, and the
// next call works.
#include "rounds.h"
#include <fermata/io.h>
#include <unistd.h>

static void
left(int *one)
{
    closed += *one;
}
#define COUNTED __attribute__((cleanup(left), unused)) int one = (opened++, 1)

__attribute__((noinline)) static async int
deep(int n)
{
    COUNTED;
    int buf[4] = {n, n, n, n};
    if (n)
        return await deep(n - 1) + buf[n & 3];
    fm_with_timeout(FM_S(10));
    await fm_yield();
    await fm_sleep(1000);
    return 0;
}

__attribute__((noinline)) static async int
lends(int *out)
{
    COUNTED;
    await fm_yield();
    return *out = 1;
}

/* Without memory for the wait: the task still uses what it was lent. */
static async void
end(FM_TASK(int) t)
{
    fm_fault *f;
    do
        f = await fm_attempt(NULL, fm_get(t));
    while (f && fm_status(t) == FM_RUNNING);
    fm_release(t);
}

static async int
all(void)
{
    COUNTED;
    int n = 0;
    FM_TASK(int) t = fm_start(deep(3));
    FM_DEFER await end(t);
    FM_TASK(int) u = fm_start(lends(&n));
    FM_DEFER await end(u);
    await fm_all_of(t, u);
    n += await fm_any_of(t, u) ? 1 : 1;
    n += await fm_get(t);
    n += await fm_get(u);
    OK(n == 9);
    return n;
}

/* After main has ended the rest, too. */
__attribute__((destructor)) static void
ended(void)
{
    if (opened != closed)
        printf("%d cleanups of %d\n", closed, opened), fflush(stdout),
            _exit(9);
}

async int
main(void)
{
    for (int i = 0; i < 3; i++)
        ROUND(all());
    return 0;
}

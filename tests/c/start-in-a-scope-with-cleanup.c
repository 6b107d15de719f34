// A task started where a cleanup is pending starts, also when all is inlined.
#include <fermata.h>
#include <stdio.h>

static int closed;
static void
leave(int *scope)
{
    closed += *scope;
}

static async int
twice(int x)
{
    await fm_yield();
    return 2 * x;
}

static async int
both(int x)
{
    __attribute__((cleanup(leave))) int scope = 1;
    FM_TASK(int) t = fm_start(twice(x));
    int n = await twice(x + scope);
    return n + await fm_join(t);
}

async int
main(void)
{
    int n = await both(3) + await both(4);
    printf("%d, closed %d\n", n, closed);
    return 0;
}

// A local that a cleanup assigned is seen by the handler after it awaits.
// id: F08
#include <fermata.h>
#include <stdio.h>

static void
store(int **p)
{
    **p += 7;
}

static async void
fails(bool wait)
{
    if (wait)
        await fm_yield();
    fm_throw(FM_CODE_USER, "x");
}

static async int
run(bool wait)
{
    int seen = 1, inner = 2;
    fm_fault *f;
    fm_try {
        __attribute__((cleanup(store))) int *p = &seen;
        {
            __attribute__((cleanup(store))) int *q = &inner;
            inner *= 2;
            await fails(wait);
        }
    } fm_catch (f) {
        await fm_yield();
        return seen * 100 + inner;
    }
    return -1;
}

async int
main(void)
{
    printf("%d %d\n", await run(false), await run(true));
    return 0;
}

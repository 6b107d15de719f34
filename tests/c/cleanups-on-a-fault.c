// On a fault cleanups run once, inner first, in every frame it passes.
#include <fermata.h>
#include <stdio.h>

static void
end(int *p)
{
    printf(" %d", *p);
}
#define GUARD(name, n) __attribute__((cleanup(end))) int name = (n)

static async void
fails(bool wait)
{
    GUARD(a, 1);
    if (wait)
        await fm_yield();
    GUARD(b, 2);
    fm_throw(FM_CODE_USER, "x");
}
static async int
middle(int n, bool wait)
{
    GUARD(a, n);
    if (n < 12)
        return await middle(n + 1, wait) + 1;
    {
        GUARD(b, 50);
        if (wait)
            await fm_yield();
        GUARD(c, 51);
        await fails(wait);
        GUARD(d, 52);
    }
    return 0;
}
static async int pass(bool wait) { return await middle(10, wait); }

async int
main(void)
{
    fm_fault *f;
    for (int wait = 0; wait < 2; wait++) {
        GUARD(a, 90);
        fm_try {
            GUARD(b, 91);
            await pass(wait);
        } fm_catch (f) {
            printf(" caught");
            GUARD(c, 92);
            await fm_yield();
        }
        printf(" after\n");
    }
    printf("\n");
    return 0;
}

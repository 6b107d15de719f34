// Deferred code may loop over blocks whose cleanups await.
#include <fermata.h>
#include <stdio.h>

static async int
num(int n)
{
    await fm_yield();
    if (n == 7)
        fm_throw(FM_CODE_USER, "seven");
    return n;
}
static async void
end_later(int *p)
{
    await fm_yield();
    printf(" %d", *p);
}

static async int
run(int n, int end)
{
    FM_DEFER {
        int k = 0;
        do {
            __attribute__((cleanup(end_later))) int g = await num(n) + k;
            printf(" (%d", g);
        } while (k++ < 1 && await num(end));
        printf(" .");
    }
    FM_DEFER {
        while (await num(n--) > 1) {
            __attribute__((cleanup(end_later))) int g = 50;
        }
    }
    return await num(n);
}

async int
main(void)
{
    fm_fault *f;
    for (int i = 1; i < 12; i += 2) {
        int r = -1;
        fm_try {
            r = await run(i, i + 2);
        } fm_catch (f) {
            printf(" %s", fm_fault_message(f));
        }
        printf(" -> %d\n", r);
    }
    return 0;
}

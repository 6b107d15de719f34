// break, continue, goto and return leave a try body and a handler.
#include <fermata.h>
#include <stdio.h>

static async void
maybe(int fail)
{
    await fm_yield();
    if (fail)
        fm_throw(FM_CODE_USER, "x");
}

static async int
ways(int way, int fail)
{
    fm_fault *f;
    int n = 0;
    for (int i = 0; i < 3; i++) {
        fm_try {
            n += 1;
            await maybe(fail);
            if (way == 0)
                continue;
            if (way == 1)
                break;
            if (way == 2)
                goto out;
            if (way == 3)
                return n + 1000;
        } fm_catch (f) {
            n += 10;
            await maybe(0);
            if (way == 0)
                continue;
            if (way == 1)
                break;
            if (way == 2)
                goto out;
            if (way == 3)
                return n + 2000;
        }
        n += 100;
    }
    return n;
out:
    return n + 5000;
}

async int
main(void)
{
    for (int way = 0; way < 5; way++)
        printf("%d %d\n", await ways(way, 0), await ways(way, 1));
    return 0;
}

// Cleanups run exactly once, inner first, on every way out of a block.
// plain
#include <fermata.h>
#include <stdio.h>

static void
end(int *p)
{
    printf(" %d", *p);
}
#define GUARD(name, n) __attribute__((cleanup(end))) int name = (n)

static async int
ways(int way)
{
    GUARD(a, 1);
    for (int i = 0; i < 3; i++) {
        GUARD(b, 10 + i);
        await fm_yield();
        if (way == 0 && i == 1)
            continue;
        GUARD(c, 20 + i);
        if (way == 1 && i == 1)
            break;
        {
            GUARD(d, 30 + i);
            await fm_yield();
            if (way == 2 && i == 1)
                goto out;
            if (way == 3 && i == 1)
                return d;
            switch (way) {
            case 4: {
                GUARD(e, 40 + i);
                await fm_yield();
                if (i == 1)
                    goto next;
            }
            default:;
            }
        }
    next:
        await fm_yield();
    }
out:
    await fm_yield();
    return a;
}

async int
main(void)
{
    for (int way = 0; way < 6; way++) {
        int r = await ways(way);
        printf(" -> %d\n", r);
    }
    return 0;
}

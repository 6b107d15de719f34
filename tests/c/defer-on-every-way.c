// FM_DEFER runs at the end of its block, by whatever way, and may await.
#include <fermata.h>
#include <stdio.h>

static async int
ways(int way, int *count)
{
    FM_DEFER ++*count;
    for (int i = 0; i < 2; i++) {
        FM_DEFER {
            printf(" a%d", i);
            await fm_yield();
            printf(" b%d", i);
        }
        FM_DEFER printf(" c%d", i);
        if (way == 0)
            continue;
        await fm_yield();
        {
            FM_DEFER {
                for (int k = 0; k < 2; k++)
                    if (k == 1)
                        printf(" k%d", k + way);
            }
            if (way == 1)
                break;
            if (way == 2)
                goto out;
            if (way == 3)
                return i + 30;
            if (way == 4)
                fm_throw(FM_CODE_USER + 4, "four");
        }
    }
out:
    return 9;
}

async int
main(void)
{
    fm_fault *f;
    int count = 0;
    for (int way = 0; way < 6; way++) {
        int r = -1;
        fm_try {
            r = await ways(way, &count);
        } fm_catch (f) {
            printf(" %s", fm_fault_message(f));
        }
        printf(" -> %d %d\n", r, count);
    }
    return 0;
}

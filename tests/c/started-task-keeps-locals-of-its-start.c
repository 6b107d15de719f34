// A started task sees the async-locals of the place where it was started.
// id: X04
#include <fermata.h>
#include <stdio.h>

static fm_local key = {"key"};
#define VALUE() ((int)(intptr_t)fm_local_get(&key))

static async int
late(void)
{
    int before = VALUE();
    await fm_yield();
    return before * 100 + VALUE();
}

async int
main(void)
{
    FM_TASK(int) a, b;
    fm_with_local(&key, (intptr_t)3);
    {
        fm_with_local(&key, (intptr_t)7);
        a = fm_start(late());
    }
    b = fm_start(late());
    {
        fm_with_local(&key, (intptr_t)9);
        await fm_yield();
        printf("%d\n", await fm_join(a));
        printf("%d %d\n", await fm_join(b), VALUE());
    }
    return 0;
}

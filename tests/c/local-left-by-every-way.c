// break, continue, goto and return out of a scope put the outer list back.
#include <fermata.h>
#include <stdio.h>

static fm_local key = {"key"};
#define VALUE() ((int)(intptr_t)fm_local_get(&key))

static async int
ways(int way)
{
    int seen = 0;
    for (int i = 0; i < 3; i++) {
        fm_with_local(&key, (intptr_t)(10 + i));
        await fm_yield();
        if (way == 0 && i == 1)
            break;
        if (way == 1)
            continue;
        if (way == 2)
            goto out;
        if (way == 3)
            return VALUE();
        seen += VALUE();
    }
out:
    await fm_yield();
    return seen * 100 + VALUE();
}

async int
main(void)
{
    fm_with_local(&key, (intptr_t)1);
    for (int way = 0; way < 5; way++)
        printf("%d %d\n", await ways(way), VALUE());
    return 0;
}

/* See corner.h. */
#include "corner.h"
static fm_local k1 = {"a"}, k2 = {"b"};
static async long
get(fm_local *k)
{
    SUSPEND();
    return (long)fm_local_get(k);
}
static async long
rec(int n)
{
    if (!n)
        return await get(&k1) * 100 + await get(&k2);
    fm_with_local(&k1, (long)n + await get(&k1));
    if (n & 1) {
        fm_with_local(&k2, (long)n);
        return await rec(n - 1);
    }
    long r = await rec(n - 1);
    {
        fm_with_shield();
        fm_with_timeout(FM_S(9));
        r += await get(&k2);
    }
    return r;
}
async int
main(void)
{
    fm_with_local(&k2, 3L);
    printf("%ld ", await rec(5));
    for (int i = 0; i < 3; i++) {
        fm_with_local(&k1, (long)i);
        if (i == 1)
            continue;
        printf("%ld ", await get(&k1));
    }
    switch (await val(1)) {
    case 1: {
        fm_with_local(&k1, 9L);
        printf("%ld ", await get(&k1));
        break;
    }
    default:
        puts("no");
    }
    printf("%ld %ld\n", await get(&k1), await get(&k2));
    return 0;
}

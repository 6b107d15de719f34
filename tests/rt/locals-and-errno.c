// Async-locals and errno belong to the chain, whatever runs in between.
#include "ok.h"
#include <fermata.h>

static fm_local key = {"key"}, other = {"other"};

static async long
sees(long add)
{
    errno = (int)add;
    await fm_yield();
    OK(errno == (int)add);
    return (long)fm_local_get(&key) + add;
}
static async long
sets(long v)
{
    fm_with_local(&key, v);
    long n = await sees(1);
    {
        fm_with_local(&other, 5);
        fm_with_local(&key, v + 10);
        await fm_yield();
        n += await sees(2);
        OK(fm_local_get(&other) == (void *)5);
    }
    OK(fm_local_get(&other) == NULL);
    return n + await sees(0);
}
async int
main(void)
{
    FM_TASK(long) a = fm_start(sets(100)), b = fm_start(sets(200)), c;
    OK(fm_local_get(&key) == NULL);
    {
        fm_with_local(&key, 7);
        c = fm_start(sees(3)); /* inherits it beyond the block */
    }
    OK(await fm_join(c) == 10);
    OK(await fm_join(a) == 101 + 112 + 100);
    OK(await fm_join(b) == 201 + 212 + 200);
    OK(fm_local_get(&key) == NULL);
    return 0;
}

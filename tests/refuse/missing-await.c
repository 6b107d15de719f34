// An async call without await is awaited, and said to be.
#include <fermata.h>
async int one(void);
async int calls(int n)
{
    int a = one() + await one();
    fm_yield();
    a += fm_within(FM_S(1), one());
    for (int i = 0; one() < n; i++)
        a += await (i ? one() : one()) + (await one());
    return sizeof(one()) + a;
}

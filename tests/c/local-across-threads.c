// Async-locals follow the chain to whatever thread resumes it.
// id: X04, X14, X15
// threads
#include "hop.h"

static fm_local key = {"key"};
#define VALUE() ((int)(intptr_t)fm_local_get(&key))

static async int
inner(int depth)
{
    fm_with_local(&key, (intptr_t)(depth * 10));
    if (depth == 0) {
        HOP();
        return VALUE();
    }
    int below = await inner(depth - 1);
    for (int i = 0; i < 2; i++) {
        fm_with_local(&key, (intptr_t)(depth * 10 + i));
        HOP();
        below = below * 3 + VALUE();
    }
    return below + VALUE();
}

async int
main(void)
{
    fm_with_local(&key, (intptr_t)46);
    HOP();
    printf("%d\n", VALUE());
    await fm_yield();
    printf("%d\n", VALUE());
    printf("%d\n", await inner(3));
    printf("%d\n", VALUE());
    hop_end();
    return 0;
}

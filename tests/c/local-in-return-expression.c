// A return expression is evaluated inside the scope of its block.
// id: X05
#include <fermata.h>
#include <stdio.h>

static fm_local key = {"key"};
#define VALUE() ((int)(intptr_t)fm_local_get(&key))

__attribute__((always_inline)) static inline async int
callee(int v, bool wait)
{
    fm_with_local(&key, (intptr_t)v);
    if (wait)
        await fm_yield();
    return VALUE() * 2;
}

static async int
tail(int v)
{
    fm_with_local(&key, (intptr_t)v);
    return await callee(VALUE() + 1, true) + VALUE();
}

async int
main(void)
{
    fm_with_local(&key, (intptr_t)1);
    printf("%d\n", await callee(5, false));
    printf("%d\n", await callee(6, true) + VALUE());
    printf("%d %d\n", await tail(10), VALUE());
    return 0;
}

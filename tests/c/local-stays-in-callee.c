// An async-local that a callee sets is not seen by its caller.
// id: X01, X03
#include <fermata.h>
#include <stdio.h>

static fm_local key = {"key"};
#define VALUE() ((int)(intptr_t)fm_local_get(&key))

__attribute__((noinline)) static async int
set_now(int v)
{
    fm_with_local(&key, (intptr_t)v);
    return VALUE();
}

__attribute__((always_inline)) static inline async int
set_inlined(int v)
{
    fm_with_local(&key, (intptr_t)v);
    await fm_yield();
    return VALUE();
}

async int
main(void)
{
    fm_with_local(&key, (intptr_t)42);
    int a = await set_now(123);
    printf("%d %d\n", a, VALUE());
    a = await set_inlined(44);
    printf("%d %d\n", a, VALUE());
    {
        fm_with_local(&key, (intptr_t)7);
        a = await set_inlined(45) + await set_now(1);
        printf("%d %d\n", a, VALUE());
    }
    printf("%d\n", VALUE());
    return 0;
}

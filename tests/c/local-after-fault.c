// A handler sees the async-local of its own block, not of the thrower's.
// id: X02, X03
#include <fermata.h>
#include <stdio.h>

static fm_local key = {"key"};
#define VALUE() ((int)(intptr_t)fm_local_get(&key))

__attribute__((noinline)) static async void
set_and_throw(int v, bool wait)
{
    fm_with_local(&key, (intptr_t)v);
    if (wait)
        await fm_yield();
    fm_throw(FM_CODE_USER + v, "at %d", VALUE());
}

__attribute__((always_inline)) static inline async void
inlined(int v, bool wait)
{
    fm_with_local(&key, (intptr_t)v);
    await set_and_throw(v + 1, wait);
}

async int
main(void)
{
    fm_fault *f;
    fm_with_local(&key, (intptr_t)43);
    for (int i = 0; i < 4; i++) {
        fm_try {
            fm_with_local(&key, (intptr_t)100);
            if (i < 2)
                await set_and_throw(5, i == 1);
            else
                await inlined(6, i == 3);
            printf("not reached\n");
        } fm_catch (f) {
            printf("%s %d\n", fm_fault_message(f), VALUE());
        }
    }
    printf("%d\n", VALUE());
    return 0;
}

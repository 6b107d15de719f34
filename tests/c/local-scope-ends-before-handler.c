// A handler sees the async-locals of its block, a cleanup those of its own.
#include <fermata.h>
#include <stdio.h>

static fm_local key = {"key"};
static void tell(const char *what)
{
    printf("%s %d\n", what, (int)(intptr_t)fm_local_get(&key));
}
static async int fail(int wait)
{
    fm_with_local(&key, (void *)9);
    if (wait) await fm_yield();
    tell("inside");
    fm_throw(3, "fail");
}
static async void work(int wait)
{
    fm_fault *f;
    fm_with_local(&key, (void *)1);
    fm_try {
        FM_DEFER tell("deferred before");
        fm_with_local(&key, (void *)2);
        FM_DEFER { await fm_yield(); tell("deferred after"); }
        await fail(wait);
    } fm_catch (f) {
        tell("handler");
        await fm_yield();
        tell("handler");
    }
    tell("end");
}
async int main(void)
{
    await work(0);
    await work(1);
    tell("main");
    return 0;
}

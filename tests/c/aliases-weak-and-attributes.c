// Aliases, weak, cold, noreturn and ifunc-like async functions are right.
#include <fermata.h>
#include <stdio.h>

async int original(int v);
__attribute__((noinline)) async int
original(int v)
{
    await fm_yield();
    return v + 1;
}
async int second(int v) __attribute__((alias("original")));
async int third(int v) __attribute__((weak, alias("original")));
__attribute__((weak)) async int
weak_one(int v)
{
    await fm_yield();
    return v + 2;
}
__attribute__((weak)) async int missing(int v);
__attribute__((cold, noinline)) static async int
cold_one(int v)
{
    await fm_yield();
    return v + 3;
}
__attribute__((noreturn)) static async void
never(int v)
{
    await fm_yield();
    fm_throw(FM_CODE_USER + v, "never %d", v);
}
static async int
picks(int v)
{
    if (v > 5)
        await never(v);
    return v;
}
__attribute__((flatten)) static async int
flat(int v)
{
    return await original(v) + await cold_one(v) + await picks(1);
}
__attribute__((optnone, noinline)) static async int
unoptimised(int v)
{
    int w = v;
    for (int i = 0; i < 3; i++)
        w += await flat(i);
    return w;
}
__attribute__((visibility("hidden"))) async int
hidden(int v)
{
    return await unoptimised(v);
}
__attribute__((section(".text.elsewhere"), aligned(64), used)) static async int
placed(int v)
{
    await fm_yield();
    return v;
}

async int
main(void)
{
    fm_fault *f;
    printf("%d %d %d\n", await original(1), await second(2), await third(3));
    printf("%d %d\n", await weak_one(1), missing ? await missing(1) : -1);
    printf("%d %d\n", await hidden(1), await placed(9));
    fm_try {
        printf("%d\n", await picks(2));
        printf("%d\n", await picks(6));
    } fm_catch (f) {
        printf("%s\n", fm_fault_message(f));
    }
    return 0;
}

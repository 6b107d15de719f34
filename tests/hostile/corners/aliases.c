#include "corner.h"
async int
real_(int x)
{
    return await val(x) + 1;
}
async int alias_(int x) __attribute__((alias("real_")));
async int weak_(int x) __attribute__((weak, alias("real_")));
async int undef_(int x) __attribute__((weak));
__attribute__((section(".text.special"), used, visibility("hidden"),
               aligned(64))) async int
sect(int x)
{
    return await val(x) * 2;
}
__attribute__((cold, noinline, minsize)) async int
coldf(int x)
{
    return await val(x) - 1;
}
__attribute__((hot, flatten)) async int
flat(int x)
{
    return await coldf(await sect(x));
}
__attribute__((target("sse4.2"))) async int
tgt(int x)
{
    return await val(x) + 5;
}
__attribute__((no_stack_protector, no_instrument_function, optnone, noinline))
async int
on(int x)
{
    int a[4] = {await val(x)};
    return a[await val(0)];
}
async int
main(void)
{
    printf("%d %d %d %d %d %d %d\n", await alias_(1), await weak_(2),
           undef_ == 0, await flat(3), await tgt(4), await on(5),
           ((size_t)sect & 63) == 0);
    return 0;
}

// Small results keep their sign through awaits in return position.
// plain
// id: L05
#include <fermata.h>
#include <stdio.h>

static async signed char
s8(int v, bool wait)
{
    if (wait)
        await fm_yield();
    return (signed char)v;
}
static async short
s16(int v, bool wait)
{
    return await s8(v, wait);
}
static async unsigned
u32(int v, bool wait)
{
    return (unsigned)await s16(v, wait);
}
static async long
s64(int v, bool wait)
{
    return (int)await u32(v, wait);
}
static async unsigned char
u8(int v, bool wait)
{
    return (unsigned char)await s16(v, wait);
}
static async bool
truth(int v, bool wait)
{
    return await u8(v, wait);
}
static async int
widened(int v, bool wait)
{
    return await truth(v, wait);
}

async int
main(void)
{
    for (int wait = 0; wait < 2; wait++)
        for (int v = -129; v < 258; v += 127)
            printf("%d %x %ld %d %d\n", await s16(v, wait),
                   await u32(v, wait), await s64(v, wait), await u8(v, wait),
                   await widened(v, wait));
    return 0;
}

#include "corner.h"
static async signed char
sc(int x)
{
    SUSPEND();
    return (signed char)x;
}
static async unsigned char
uc(int x)
{
    SUSPEND();
    return (unsigned char)x;
}
static async short
sh(int x)
{
    SUSPEND();
    return (short)x;
}
static async _Bool
bo(int x)
{
    SUSPEND();
    return x;
}
static async unsigned short
take(signed char a, unsigned char b, short c, unsigned short d, _Bool e)
{
    SUSPEND();
    return (unsigned short)(a + b + c + d + e);
}
async int
main(void)
{
    int i = await sc(200);
    unsigned u = await uc(300);
    long l = await sh(40000);
    printf("%d %u %ld %d %d %d\n", i, u, l, await bo(256),
           await take(await sc(-1), await uc(-1), await sh(-1), 65535,
                      await bo(2)),
           await sc(127) + 1);
    signed char z = 127;
    z += await val(1);
    unsigned char y = 0;
    y -= await val(1);
    printf("%d %d\n", z, y);
    return 0;
}

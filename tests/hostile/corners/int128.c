#include "corner.h"
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef unsigned _BitInt(77) b77;
typedef _BitInt(200) b200;
static async i128
w(i128 x)
{
    SUSPEND();
    return x * 3;
}
static async b77
b(b77 x)
{
    SUSPEND();
    return x + 1;
}
static async u128
many(u128 a, int b, u128 c, char d, u128 e, u128 f)
{
    SUSPEND();
    return a + (u128)b + c + (u128)d + e + f;
}
static async b200
big(b200 x, b200 y)
{
    SUSPEND();
    return x - y;
}
async int
main(void)
{
    i128 x = (i128)1 << 100;
    x += await w(x);
    x >>= await val(90);
    b77 y = await b(((b77)1 << 76) - 1);
    b200 z = await big((b200)1 << 150, 1);
    z >>= await val(140);
    printf("%lld %d %llu %lld\n", (long long)x, (int)(y >> 76),
           (unsigned long long)await many(1, 2, 3, 4, 5, 6), (long long)z);
    return 0;
}

#include "corner.h"
struct b {
    unsigned a : 1, b : 7;
    int c : 24;
    long d : 33;
};
union v {
    struct b b;
    unsigned long u[2];
};
static async struct b
mk(int k)
{
    struct b r = {0};
    r.a = (unsigned)await val(k);
    r.b += (unsigned)await val(130);
    r.c = -await val(k);
    r.d |= await lval(1L << 31);
    return r;
}
async int
main(void)
{
    struct b x = await mk(3);
    x.c += (await mk(5)).c;
    x.d >>= await val(3);
    struct b y[2] = {x, await mk(1)};
    y[await val(0)].b ^= (unsigned)await val(1);
    printf("%d %d %d %ld %d\n", x.a, x.b, x.c, (long)x.d, y[0].b + y[1].c);
    return 0;
}

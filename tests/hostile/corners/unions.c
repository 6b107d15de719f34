#include "corner.h"
union u {
    int i;
    float f;
    char c[12];
    struct {
        short a, b;
        long l;
    } s;
};
static async union u
mk(float f)
{
    union u u = {.f = f};
    SUSPEND();
    return u;
}
static async union u
sw(union u x, int k)
{
    x.c[k] ^= (char)await val(1);
    return x;
}
async int
main(void)
{
    union u a = await mk(1.5f);
    int bits = a.i;
    a = await sw(a, 2);
    a.s.l = await lval(77);
    union u b = a;
    b.s.a = (short)await val(3);
    printf("%x %x %ld %d %d\n", bits, a.i, a.s.l, b.s.a,
           memcmp(&a, &b, sizeof a) != 0);
    return 0;
}

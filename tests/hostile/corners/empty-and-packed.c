#include "corner.h"
struct e {
};
struct z {
    int n;
    int a[0];
};
struct __attribute__((packed)) pk {
    char c;
    long l;
    short s;
    double d;
};
struct al {
    _Alignas(32) char c;
    int v;
};
static async struct e
em(struct e x)
{
    SUSPEND();
    return x;
}
static async struct pk
pk(struct pk p, int k)
{
    SUSPEND();
    p.l += k;
    p.d *= 2;
    return p;
}
static async struct al
al(int v)
{
    struct al a = {1, v};
    SUSPEND();
    a.c = (char)(((size_t)&a & 31) == 0);
    return a;
}
async int
main(void)
{
    struct e x = {};
    x = await em(await em(x));
    (void)x;
    struct pk p = await pk((struct pk){1, 2, 3, 4.5}, await val(7));
    struct al a = await al(6);
    a = await al(a.v + 1);
    struct z z = {await val(3)};
    printf("%d %ld %d %g %d %d %d %zu\n", p.c, p.l, p.s, p.d, a.c, a.v, z.n,
           sizeof x);
    return 0;
}

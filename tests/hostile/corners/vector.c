#include "corner.h"
typedef int v4 __attribute__((vector_size(16)));
typedef float f8 __attribute__((vector_size(32)));
typedef char v3 __attribute__((ext_vector_type(3)));
typedef double d8 __attribute__((vector_size(64)));
static async v4
mk(int x)
{
    SUSPEND();
    return (v4){x, x + 1, x + 2, x + 3};
}
static async f8
ff(f8 a, float k)
{
    SUSPEND();
    return a * k;
}
static async v3
three(char a)
{
    SUSPEND();
    return (v3){a, 2, 3};
}
static async d8
dd(d8 a, d8 b)
{
    d8 c = a + b;
    SUSPEND();
    return c * a;
}
async int
main(void)
{
    v4 a = await mk(1) + await mk(10);
    a[await val(2)] += await val(100);
    v4 m = a > await mk(12);
    a = (m & a) | (~m & await mk(0));
    f8 f = {1, 2, 3, 4, 5, 6, 7, 8};
    f = await ff(f + (float)await val(1), 0.5f);
    v3 t = await three(7);
    t.xy += (char)await val(1);
    d8 d = {1, 2, 3, 4, 5, 6, 7, 8};
    d = await dd(d, await dd(d, d));
    printf("%d %d %d %d %g %g %d %d %d %g %g\n", a[0], a[1], a[2], a[3], f[0],
           f[7], t.x, t.y, t.z, d[0], d[7]);
    return 0;
}

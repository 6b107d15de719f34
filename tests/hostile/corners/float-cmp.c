#include "corner.h"
static async float
ff(float x)
{
    SUSPEND();
    return x;
}
static async _Float16
hf(float x)
{
    SUSPEND();
    return (_Float16)x;
}
async int
main(void)
{
    double n = 0.0 / await dval(0);
    float i = 1 / await ff(0);
    int r = (n != n) + (i > await ff(1e30f)) * 2 +
            (await ff(0.1f) < await dval(0.1)) * 4 +
            (await dval(-0.0) == 0) * 8;
    float s = 0;
    for (float f = await ff(0); f < await ff(1); f += await ff(0.25f))
        s += f;
    long double ld = await dval(3) / 7.0L;
    unsigned long big = (unsigned long)await dval(1.8e19);
    _Float16 h = await hf(1.5f) + await hf(2);
    printf("%d %g %.17Lg %lu %g\n", r, (double)s, ld, big, (double)h);
    return 0;
}

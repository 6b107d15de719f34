#include "corner.h"
#include <math.h>
static async double
fenv(double x)
{
#pragma STDC FENV_ACCESS ON
    double r = x / 3;
    SUSPEND();
    return r + await dval(1) / 3;
}
static async float
fast(float *a, int n)
{
#pragma clang fp reassociate(on)
    float s = 0;
#pragma clang loop vectorize(enable) unroll(enable)
    for (int i = 0; i < n; i++)
        s += a[i];
#pragma unroll 4
    for (int i = 0; i < 8; i++)
        s += (float)await val(i);
    return s;
}
async int
main(void)
{
    float a[64];
    for (int i = 0; i < 64; i++)
        a[i] = (float)i;
    printf("%.12g %g %g\n", await fenv(2), await fast(a, 64),
           floor(await dval(2.5)));
    return 0;
}

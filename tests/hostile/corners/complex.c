#include "corner.h"
#include <complex.h>
static async double _Complex c(double a, double b)
{
    SUSPEND();
    return a + b * 1.0i;
}
static async float _Complex cf(float a)
{
    SUSPEND();
    return a - 1.0fi;
}
static async long double
ld(long double x)
{
    SUSPEND();
    return x / 3;
}
static async long double _Complex cl(long double x)
{
    SUSPEND();
    return x + 2.0Li;
}
async int
main(void)
{
    double _Complex z = await c(1, 2) * await c(3, -1);
    z *= await c(0.5, 0.25);
    float _Complex f = await cf(2) + await cf(3);
    long double l = await ld(2) + await ld(await ld(9));
    long double _Complex q = await cl(1) * await cl(2);
    printf("%g %g %g %g %.15Lg %Lg %Lg\n", creal(z), cimag(z),
           (double)crealf(f), (double)cimagf(f), l, creall(q), cimagl(q));
    __real__ z = await val(4);
    __imag__ z += await dval(1.5);
    printf("%g %g\n", creal(z), cimag(z));
    return 0;
}

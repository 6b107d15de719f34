// Vectors, __int128, long double and _Complex keep all bits.
// plain
#include <complex.h>
#include <fermata.h>
#include <stdio.h>

typedef float v4f __attribute__((vector_size(16)));
typedef int v8i __attribute__((vector_size(32)));
typedef unsigned char v16b __attribute__((vector_size(16)));

static async v4f
scale(v4f v, float by)
{
    v4f w = v * by;
    await fm_yield();
    return w + v;
}
static async v8i
mask(v8i a, v8i b)
{
    v8i m = a < b;
    await fm_yield();
    return (m & a) | (~m & b);
}
static async __int128
wide(__int128 a, unsigned __int128 b)
{
    __int128 c = a * 3;
    await fm_yield();
    c += (__int128)(b >> 65);
    await fm_yield();
    return c << 1;
}
static async long double
extended(long double x, int n)
{
    long double sum = 0, term = 1;
    for (int i = 1; i < n; i++) {
        sum += term;
        term *= x / i;
        if (i % 3 == 0)
            await fm_yield();
    }
    return sum;
}
static async _Complex double
mandel(_Complex double c, int n)
{
    _Complex double z = 0;
    while (n--) {
        z = z * z + c;
        await fm_yield();
    }
    return z;
}
static async v16b
bytes(v16b v)
{
    for (int i = 0; i < 4; i++) {
        v[i] += v[15 - i];
        await fm_yield();
        v = __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11,
                                    10, 13, 12, 15, 14);
    }
    return v;
}

async int
main(void)
{
    v4f f = await scale((v4f){1, 2, 3, 4}, 0.5f);
    v8i i = await mask((v8i){1, 9, 2, 8, 3, 7, 4, 6},
                       (v8i){5, 5, 5, 5, 5, 5, 5, 5});
    __int128 w = await wide((__int128)7 << 70, ~(unsigned __int128)0);
    _Complex double z = await mandel(0.1 + 0.2i, 20);
    v16b b = await bytes((v16b){1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
                                14, 15, 16});
    printf("%g %g %d %d\n", f[0], f[3], i[1], i[2]);
    printf("%lx %lx\n", (unsigned long)w, (unsigned long)(w >> 64));
    printf("%.15Lf %.12f %.12f\n", await extended(1, 22), creal(z), cimag(z));
    printf("%d %d %d\n", b[0], b[1], b[15]);
    return 0;
}

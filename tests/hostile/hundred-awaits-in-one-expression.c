// A hundred awaits in one expression keep all their partial results.
// plain
#include <fermata.h>
#include <stdio.h>

static async unsigned
val(unsigned v)
{
    if (v & 1)
        await fm_yield();
    return v * 7 + 1;
}
#define E2(n) (await val(n) * 3 + await val(n + 1))
#define E4(n) (E2(n) ^ E2(n + 2))
#define E8(n) (E4(n) - E4(n + 4))
#define E16(n) (E8(n) * (E8(n + 8) | 1))
#define E32(n) (E16(n) + E16(n + 16))
#define E64(n) (E32(n) ^ E32(n + 32))
static async double
fval(double d)
{
    await fm_yield();
    return d + 0.5;
}
#define F2(d) (await fval(d) * (1 + await fval(d + 1)))
#define F4(d) (F2(d) - F2(d + 2))
#define F8(d) (F4(d) * F4(d + 4))
#define F16(d) (F8(d) + F8(d + 8))

static async unsigned
sum8(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f,
     unsigned g, unsigned h)
{
    await fm_yield();
    return ((((((a * 3 + b) * 3 + c) * 3 + d) * 3 + e) * 3 + f) * 3 + g) * 3 +
           h;
}
#define S8(n) await sum8(E2(n), await val(n), E2(n + 3), n,                  \
                         await val(E2(n)), n + 1, E4(n), await val(n))

async int
main(void)
{
    printf("%u\n", E64(1) + E64(2));
    printf("%.1f\n", F16(1));
    printf("%u\n", await sum8(S8(1), S8(2), S8(3), 4, S8(5), 6, S8(7), S8(8)));
    return 0;
}

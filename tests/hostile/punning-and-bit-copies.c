// Unions, memcpy and may_alias views of locals agree across suspensions.
// plain
#include <fermata.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

union view { float f; uint32_t u; unsigned char b[4]; struct { uint16_t lo, hi; } h; };
typedef uint32_t __attribute__((may_alias)) any32;

static async uint32_t
views(float f)
{
    union view v = {.f = f};
    await fm_yield();
    v.h.hi ^= 0x8000;
    await fm_yield();
    v.b[0] = 1;
    float g = v.f;
    uint32_t u;
    await fm_yield();
    memcpy(&u, &g, 4);
    return u + v.u * 3 + v.h.lo;
}
static async uint32_t
aliased(double d)
{
    double parts[3] = {d, -d, d * 2};
    any32 *p = (any32 *)parts;
    unsigned char copy[sizeof(parts)];
    await fm_yield();
    p[3] ^= 0x80000000u;
    memcpy(copy, parts, sizeof(parts));
    await fm_yield();
    memcpy(&d, copy + 8, 8);
    parts[0] += d;
    await fm_yield();
    return (uint32_t)(parts[0] * 100) + p[5];
}
struct flags { unsigned a : 1, : 3, b : 12; signed c : 5; unsigned long d : 40; };
static async uint32_t
bits(int n)
{
    struct flags f = {1, 0xfff, -16, 1UL << 39}, g;
    uint64_t raw[2] = {0};
    await fm_yield();
    f.b += (unsigned)n;
    f.c--;
    await fm_yield();
    g = f;
    f.a = 0;
    g.d >>= 38;
    await fm_yield();
    memcpy(raw, &g, sizeof(g));
    return (uint32_t)g.b + (uint32_t)(g.c & 31) * 10000 + g.a + f.a +
           (uint32_t)g.d * 7;
}

async int
main(void)
{
    printf("%x %x %x\n", await views(1.5f), await aliased(3.25),
           await bits(5));
    return 0;
}

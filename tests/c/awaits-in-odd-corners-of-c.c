// Odd corners of C around awaits.
// plain
#include <fermata.h>
#include <stdio.h>
#include <complex.h>
#include <stdarg.h>
#include <string.h>
static int w;
static async int v(int x) { if (w) await fm_yield(); return x; }
struct bits { unsigned a : 3, b : 7; int : 0; signed c : 5; };
union u { double d; long l; char c[16]; };
static async union u mk(double d) { union u u = {0}; u.d = await v((int)d) + .25; return u; }
static async struct bits bt(int a) { struct bits b = {0}; b.a = (unsigned)await v(a); b.b = (unsigned)await v(a * 9); b.c = await v(-a); return b; }
static async double complex cx(int a) { return await v(a) + await v(a + 1) * I; }
static async __int128 big(int a) { return (__int128)await v(a) << 90 | await v(3); }
static async long double ld(int a) { return await v(a) / 3.0L; }
static async int apply(async int (*f)(int), int n) { return await f(n) + await (n & 1 ? f : v)(n); }
static async int loopy(int n)
{
    int s = 0;
    for (int i = await v(0); i < await v(n); i += await v(1)) {
        switch (await v(i % 5)) {
        case 0: continue;
        case 1: s += await v(1); /* fallthrough */
        case 2: s += await v(10); break;
        default: if (await v(i) > 8) goto out;
        }
        do s++; while (await v(0));
    }
out:
    return s;
}
static async int duff(int n)
{
    int c = 0;
    switch (n % 4) {
    case 0: do { c += await v(1);
    case 3: c += await v(10);
    case 2: c += await v(100);
    case 1: c += await v(1000);
        } while ((n -= 4) > 0);
    }
    return c;
}
static int sum(int n, ...) { va_list a; va_start(a, n); int s = 0; while (n--) s += va_arg(a, int); va_end(a); return s; }
static async int va(void) { return sum(3, await v(1), await v(20), await v(300)); }
static async int vla(int n) { int a[await v(n)][n]; memset(a, 0, sizeof a); for (int i = 0; i < n; i++) a[i][await v(n - 1 - i)] = i; int s = 0; for (int i = 0; i < n; i++) s += a[i][n - 1 - i] * (int)sizeof a; return s; }
static async int lit(void) { int *p = (int[]){await v(1), await v(2), [5] = await v(6)}; struct { int a, *b; } s = {.b = &p[5], .a = await v(4)}; return s.a + *s.b + p[3]; }
static async int cmp(void) { int a[4] = {1, 2, 3, 4}, i = 0; a[i++] += await v(10); a[i++] <<= await v(2); a[await v(i++)] ^= await v(7); return a[0] * 1000 + a[1] * 100 + a[2] * 10 + i; }
static async _Bool andor(int x) { return (await v(x) && await v(x - 1)) || (!await v(x) && await v(1)); }
static async const char *str(int i) { static const char *const t[] = {"zero", "one"}; return t[await v(i)]; }
static async int se(int x) { return ({ int y = await v(x); y * await v(2); }) + (await v(1), await v(2)); }
async int main(void)
{
    for (w = 0; w < 2; w++) {
        union u u = await mk(3); struct bits b = await bt(5);
        double complex c = await cx(2); __int128 q = await big(7);
        printf("%.2f %u %u %d %.0f %.0f %lld %d %.4Lf\n", u.d, b.a, b.b, b.c, creal(c), cimag(c), (long long)(q >> 90), (int)(q & 15), await ld(2));
        printf("%d %d %d %d %d %d\n", await apply(v, 3), await loopy(20), await duff(7), await va(), await vla(5), await lit());
        printf("%d %d%d %s %d\n", await cmp(), await andor(2), await andor(1), await str(1), await se(4));
    }
    return 0;
}

// Side effects around awaits come in clang's order, suspended or not.
// plain
// not: gcc
#include <fermata.h>
#include <stdio.h>

static int x = 1, trace;
static async int
bump(int by)
{
    trace = (int)((unsigned)trace * 7 + (unsigned)by);
    await fm_yield();
    return x += by;
}
static async int *
where(int *p, int n)
{
    trace = (int)((unsigned)trace * 7 + (unsigned)n);
    await fm_yield();
    return p + n;
}
static async int
three(int a, int b, int c)
{
    await fm_yield();
    return a * 10000 + b * 100 + c;
}

async int
main(void)
{
    int a[4] = {0, 10, 20, 30}, i = 0;
    printf("%d\n", x + await bump(1) + x);
    printf("%d\n", await three(x, await bump(2), x));
    printf("%d\n", await bump(3) * x - await bump(1) * x);
    *await where(a, 1) = await bump(1);
    *await where(a, 2) += await bump(2);
    a[i++] = await bump(1), a[i++] += await bump(1);
    printf("%d %d %d %d %d\n", a[0], a[1], a[2], a[3], i);
    (*await where(a, 3))++;
    --*await where(a, 3);
    printf("%d %d %d\n", a[3], x, trace);
    struct { int p, q, r; } s = {.q = await bump(1), .p = await bump(2),
                                 .r = x};
    printf("%d %d %d\n", s.p, s.q, s.r);
    return 0;
}

// Awaits that meet, among cleanups, loops and handlers, at every level alike.
// flags: -fno-optimize-sibling-calls -w
#include <fermata.h>
#include <stdio.h>
#include <string.h>
struct big {
    long v[6];
};
static int mode;
#define NI __attribute__((noinline))
static NI async struct big
mk(long x)
{
    if (mode & 1)
        await fm_yield();
    if ((mode & 2) && x % 5 == 3)
        fm_throw(3, "mk");
    struct big b = {{x, x + 1, x + 2, x + 3, x + 4, x + 5}};
    return b;
}
static NI async struct big
mk2(long x, long y)
{
    struct big b = await mk(x + y);
    b.v[0] ^= y;
    return b;
}
static NI async double
dbl(long x)
{
    if (mode & 1)
        await fm_yield();
    if ((mode & 2) && x % 7 == 2)
        fm_throw(4, "dbl");
    return x * 0.5;
}
static NI async double
dbl2(double x, long y)
{
    double d = await dbl(y);
    return x + d;
}
static int closed;
static async void
close_it(long *p)
{
    if (mode & 1)
        await fm_yield();
    closed += (int)(*p & 15);
}
static NI async long
arms(int k, long x)
{
    struct big b = {{1}};
    double d = 1;
    long r = 0;
    if (k & 1)
        b = await mk(x);
    else
        b = await mk2(x, k);
    r += b.v[0] * 3 + b.v[5];
    switch (k % 4) {
    case 0:
        d = await dbl(x);
        break;
    case 1:
        d = await dbl2(d, x);
        break;
    case 2:
        d = await dbl2(d * 2, x + 1);
        break;
    }
    r += (long)(d * 16);
    {
        __attribute__((cleanup(close_it))) long mine = x + k;
        if (k & 2)
            d = await dbl(mine);
        else
            d = await dbl2(d, mine);
        r = r * 7 + (long)(d * 4);
    }
    return r;
}
static NI async long
looped(int k, long x)
{
    long r = 0, best = 0, prev = 1;
    char buf[40];
    for (int i = 0; i < 5; i++) {
        snprintf(buf, sizeof buf, "%ld-%d", r % 1000, i);
    again:
        if (i % 2)
            prev = (long)await dbl(prev % 100 + i);
        else
            prev = (long)await dbl2(prev % 50, x + i);
        r = r * 5 + prev + (long)strlen(buf);
        if (r % 11 == 4 && best < 3) {
            best++;
            goto again;
        }
    }
    return r % 1000000 + k;
}
static NI async long
both(int k, long x)
{
    fm_fault *f;
    long r = 0;
    fm_try
        {
            if (k & 1)
                r = await arms(k, x);
            else
                r = await looped(k, x);
            r += 2;
        }
        fm_catch(f)
        {
            struct fm_place at[6];
            size_t n = fm_fault_trace(f, at, 6);
            printf("[");
            for (size_t i = 0; i < n && i < 6; i++)
                printf(" %s:%u", at[i].function, at[i].line);
            printf(" ]");
            if (k & 2)
                r = (long)await dbl(4);
            else
                r = (long)await dbl2(1, 8);
            r -= 1000;
        }
        return r;
}
async int
main(void)
{
    for (mode = 0; mode < 4; mode++)
        for (int k = 0; k < 8; k++)
            for (long x = 0; x < 6; x++)
                printf("%d %d %ld %ld %d\n", mode, k, x, await both(k, x),
                       closed);
    return 0;
}

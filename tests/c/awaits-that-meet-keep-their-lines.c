// Awaits that share a state go on as written; a trace names the right one.
// smoke
#include <fermata.h>
#include <stdio.h>

static async long __attribute__((noinline))
triple(long x, int how)
{
    if (how & 1)
        await fm_yield();
    if (how & 2)
        fm_throw(7, "triple");
    return 3 * x;
}

static async long __attribute__((noinline))
plus(long x, long y, int how)
{
    long got = await triple(x, how);
    return got + y;
}

static async long __attribute__((noinline))
pick(int k, long x, long keep, int how)
{
    long r = 5;
    switch (k) {
    case 0:
        r = await triple(x, how);
        break;
    case 1:
        r = await plus(x, keep, how);
        break;
    case 2:
        r = await triple(keep, how);
        break;
    }
    return r * 100 + keep;
}

static async long __attribute__((noinline))
loop(long keep, int how)
{
    long sum = 0, acc = 1;
    for (int i = 0; i < 7; i++) {
        if (i % 3)
            acc = await plus(i, acc % 7, how);
        else
            acc = await triple(acc % 11, how);
        sum = sum * 3 + acc * keep;
    }
    return sum;
}

static async void __attribute__((noinline))
faults(int k, int how)
{
    struct fm_place at[4];
    fm_fault *f;
    fm_try {
        await pick(k, 2, 3, how | 2);
    } fm_catch (f) {
        size_t n = fm_fault_trace(f, at, 4);
        for (size_t i = 0; i < n && i < 4; i++)
            printf("%s:%u ", at[i].function, at[i].line);
        printf("\n");
    }
}

async int
main(void)
{
    for (int how = 0; how < 2; how++) {
        for (int k = 0; k < 4; k++)
            printf("%ld ", await pick(k, k + 4, 9, how));
        printf("%ld\n", await loop(5, how));
        for (int k = 0; k < 3; k++)
            await faults(k, how);
    }
    return 0;
}

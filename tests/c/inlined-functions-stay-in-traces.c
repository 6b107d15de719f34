// A trace names the same functions and lines whether they were inlined or not.
// smoke
#include <fermata.h>
#include <errno.h>
#include <stdio.h>

static async int
deep(int n)
{
    if (n > 2)
        await fm_yield();
    if (n > 0)
        fm_throw(EIO, "deep %d", n);
    return n;
}

static async int
middle(int n)
{
    int got = await deep(n);
    return got + 1;
}

static async int
catches(int n)
{
    fm_fault *f;
    fm_try {
        n += await middle(n);
    } fm_catch (f) {
        struct fm_place at[8];
        size_t frames = fm_fault_trace(f, at, 8);
        for (size_t i = 0; i < frames && i < 8; i++)
            printf("caught %s:%u\n", at[i].function, at[i].line);
        n = -1;
    }
    return n;
}

static async void
cleanup(int *n)
{
    if (*n > 4)
        await fm_yield();
}

static async int
cleans(int n)
{
    __attribute__((cleanup(cleanup))) int mine = n;
    int got = await middle(mine);
    return got + 1;
}

static async int
outer(int n)
{
    int got = await catches(n);
    if (got < 0)
        got = await cleans(n);
    return got + 1;
}

static async void
show(int n)
{
    struct fm_place at[8];
    fm_fault *f;
    fm_try {
        await outer(n);
    } fm_catch (f) {
        size_t frames = fm_fault_trace(f, at, 8);
        for (size_t i = 0; i < frames && i < 8; i++)
            printf("%d: %s:%u\n", n, at[i].function, at[i].line);
    }
}

async int
main(void)
{
    for (volatile int n = 1; n < 6; n += 2)
        await show(n);
    return 0;
}

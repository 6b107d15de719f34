// A handle of a completed task keeps nothing of the frames that were awaited
// in it; what it keeps is the block of the started function itself.
// not: alloc
// only: O0 O1 O2 O3 Os
#include <fermata.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

enum { TASKS = 100, LOCAL = 100000 };

static FM_SOURCE(int) gate;

__attribute__((noinline)) static void
fills(char *text, int n)
{
    memset(text, n, LOCAL);
}

__attribute__((noinline)) static async int
waits(int n)
{
    char text[LOCAL];
    FM_TASK(int) t = fm_source_task(gate);
    fills(text, n);
    int got = await fm_get(t);
    fm_release(t);
    return got + text[LOCAL - 1];
}

static async int
begins(int n)
{
    return await waits(n) + 1;
}

static size_t
used(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

async int
main(void)
{
    FM_TASK(int) t[TASKS];
    size_t before, waiting, after;
    int sum = 0;
    gate = fm_source_new(int);
    before = used();
    for (int i = 0; i < TASKS; i++)
        t[i] = fm_start(begins(i));
    waiting = used() - before;
    fm_source_set(gate, 1);
    for (int i = 0; i < TASKS; i++)
        sum += await fm_get(t[i]);
    after = used() - before;
    printf("%d %d %d\n", sum, waiting >= (size_t)TASKS * LOCAL,
           after < (size_t)TASKS * 1000);
    for (int i = 0; i < TASKS; i++)
        fm_release(t[i]);
    fm_source_release(gate);
    return 0;
}

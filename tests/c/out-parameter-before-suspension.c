// What a callee wrote through a pointer before it suspended is there after.
// plain
// id: L08, L09, L13
#include <fermata.h>
#include <stdio.h>

__attribute__((noinline)) static async int
writes(int *out, int v, bool wait)
{
    *out = v;
    if (wait)
        await fm_yield();
    return v + 6;
}

__attribute__((noinline)) static void
sink(char *p)
{
    ++*p;
}

__attribute__((noinline)) static async int
elements(int i)
{
    char buf[16] = {0};
    sink(&buf[i]);
    await fm_yield();
    sink(&buf[i]);
    return buf[i];
}

async int
main(void)
{
    int out, n = 0;
    int r = await writes(&out, 47, false);
    printf("%d\n", r + out);
    r = await writes(&out, 100, true);
    printf("%d\n", r + out);
    for (int i = 0; i < 3; i++) {
        int each;
        n += await writes(&each, i, i & 1);
        n += each;
    }
    printf("%d %d\n", n, await elements(3));
    return 0;
}

// A cleanup declared after an array of variable size finds it, memory or not.
#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>

static int closed;

static async int
step(int v)
{
    await fm_yield();
    return v;
}

static async int
work(int n)
{
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i;
    FM_DEFER {
        if (a[n - 1] != n - 1)
            abort();
        closed++;
    }
    return await step(n) + a[n / 2];
}

async int
main(void)
{
    int sum = 0;
    for (int n = 1; n < 6; n++)
        sum += await work(n * n);
    printf("%d %d\n", sum, closed);
    return 0;
}

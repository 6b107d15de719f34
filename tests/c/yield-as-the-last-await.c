// A function whose last await is a yield, its result, goes on behind it.
#include <fermata.h>
#include <stdio.h>

static int order[16], said;

__attribute__((noinline)) static async void twice(int n)
{
    await fm_yield();
    order[said++] = n;
    await fm_yield();
}

__attribute__((noinline)) static async void looks(int n)
{
    for (int i = 0; i < 2; i++) {
        await fm_yield();
        order[said++] = n * 10 + i;
    }
    if (n == 1)
        await fm_yield();
    else
        await twice(n);
}

static async void both(int n)
{
    await twice(n);
    await looks(n);
}

async int main(void)
{
    FM_TASK(void) a = fm_start(both(1)), b = fm_start(both(2));

    await fm_join(a);
    await fm_join(b);
    for (int i = 0; i < said; i++)
        printf("%d ", order[i]);
    printf("\n");
    return 0;
}

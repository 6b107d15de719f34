// Starts in conditions, loops and scopes with cleanups keep their handles.
#include <fermata.h>
#include <stdio.h>

static void left(int *v) { printf("left %d\n", *v); }
static async int plus(int x, int wait)
{
    if (wait) await fm_yield();
    return x + 1;
}
static async int work(int wait)
{
    __attribute__((cleanup(left))) int scope = wait;
    FM_TASK(int) t[4];
    int sum = 0;

    for (int i = 0; i < 4; i++) {
        __attribute__((cleanup(left))) int inner = i;
        t[i] = i & 1 ? fm_start(plus(i, wait)) : fm_start(plus(-i, wait));
    }
    for (int i = 0; i < 4; i++)
        sum += await fm_join(t[i]);
    return sum;
}

async int main(void)
{
    printf("%d\n", await work(0));
    printf("%d\n", await work(1));
    return 0;
}

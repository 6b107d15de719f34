// An async cleanup function is awaited, once, whichever way its scope ends.
// smoke
#include <fermata.h>
#include <stdio.h>

static int wait;
static async void close_it(const int *v)
{
    printf(" [%d", *v);
    if (wait) await fm_yield();
    printf("]");
}
static async int step(int v)
{
    if (wait) await fm_yield();
    if (v < 0) fm_throw(-v, "step");
    return v;
}
static async int work(int way)
{
    __attribute__((cleanup(close_it))) int a = 1;
    for (int i = 0; i < 2; i++) {
        __attribute__((cleanup(close_it))) int b = 2 + i;
        if (way == 1) return await step(7);
        if (way == 2) break;
        if (way == 3) await step(-4);
        __attribute__((cleanup(close_it))) int c = 4 + i;
        if (way == 4) fm_throw(8, "thrown");
        if (way == 5 && i == 0) continue;
        printf(" body");
    }
    return await step(0);
}
async int main(void)
{
    fm_fault *f;
    for (int k = 0; k < 12; k++) {
        wait = k % 2;
        fm_try {
            int r = await work(k / 2);
            printf(" = %d\n", r);
        } fm_catch (f) {
            printf(" fault %d\n", fm_fault_code(f));
        }
    }
    return 0;
}

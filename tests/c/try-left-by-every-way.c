// break, continue, goto and return leave a try body and its handler.
// smoke
#include <fermata.h>
#include <stdio.h>

static int wait;
static async int step(int v)
{
    if (wait) await fm_yield();
    if (v < 0) fm_throw(-v, "step");
    return v;
}
static async int work(int way)
{
    fm_fault *f = NULL;
    int i;
    for (i = 0; i < 3; i++) {
        printf(" i%d", i);
        fm_try {
            if (way == 1) break;
            if (way == 2) continue;
            if (way == 3) goto out;
            if (way == 4) return await step(40);
            await step(i == 1 ? -9 : i);
            printf(" body");
        } fm_catch (f) {
            printf(" caught%d", fm_fault_code(f) + (int)await step(0));
            if (way == 5) break;
            if (way == 6) continue;
            if (way == 7) goto out;
            if (way == 8) return await step(80);
            if (way == 9) fm_rethrow(f);
            if (way == 10) fm_throw(11, "new");
        }
        printf(" next");
    }
    printf(" after");
out:
    return i;
}
async int main(void)
{
    fm_fault *f;
    for (int k = 0; k < 22; k++) {
        wait = k & 1;
        fm_try {
            int r = await work(k / 2);
            printf(" = %d\n", r);
        } fm_catch (f) {
            printf(" fault %d\n", fm_fault_code(f));
        }
    }
    return 0;
}

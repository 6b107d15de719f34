// Cleanups and deferred code run once, inner first, by whatever way out.
// smoke
#include <fermata.h>
#include <stdio.h>

static void say(const int *v) { printf(" c%d", *v); }
static async int step(int v, int wait)
{
    if (wait) await fm_yield();
    if (v < 0) fm_throw(-v, "step");
    return v;
}
enum way { END, RETURN, BREAK, CONTINUE, GOTO, FAULT };
static async int leave(enum way way, int wait)
{
    int i = 0;
    __attribute__((cleanup(say))) int outer = 1;
    for (i = 0; i < 2; i++) {
        __attribute__((cleanup(say))) int x = 10 + i;
        FM_DEFER printf(" d%d", i);
        __attribute__((cleanup(say))) int y = 20 + i;
        FM_DEFER { await step(1, wait); printf(" e%d", i); }
        await step(2, wait);
        if (way == RETURN) return await step(7, wait);
        if (way == BREAK) break;
        if (way == CONTINUE) continue;
        if (way == GOTO && i) goto out;
        if (way == FAULT) await step(-5, wait);
        printf(" body%d", i);
    }
    printf(" after");
out:
    return 3;
}
async int main(void)
{
    fm_fault *f;
    for (int k = 0; k < 12; k++) {
        fm_try {
            int r = await leave((enum way)(k / 2), k % 2);
            printf(" = %d\n", r);
        } fm_catch (f) {
            printf(" fault %d\n", fm_fault_code(f));
        }
    }
    return 0;
}

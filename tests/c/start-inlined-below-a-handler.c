// A start stays one when it is inlined into code with a landing pad.
#include <fermata.h>
#include <stdio.h>

static int w;
static async int plus(int x)
{
    if (w) await fm_yield();
    return x + 1;
}
static async int twice(int x)
{
    FM_TASK(int) t = fm_start(plus(x));
    FM_TASK(int) u = fm_start(plus(x + 1));
    int v = await fm_join(t);

    return v + await fm_join(u);
}

async int main(void)
{
    for (w = 0; w < 2; w++) {
        int v = 0;
        fm_fault *f = await fm_attempt(&v, twice(1)), *g;

        fm_try {
            v += await twice(v);
        } fm_catch (g) {
            v = 0;
        }
        printf("%d %d\n", v, f != NULL);
    }
    return 0;
}

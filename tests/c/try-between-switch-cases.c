// A try stands in switch cases, unbraced after if, nested in its handler.
#include <fermata.h>
#include <stdio.h>

static int wait;
static async int step(int v)
{
    if (wait) await fm_yield();
    if (v < 0) fm_throw(-v, "step");
    return v;
}
static async int work(int n)
{
    fm_fault *f, *g;
    int r = 0;
    switch (n) {
    case 0:
        fm_try { r = await step(5); break; } fm_catch (f) { r = 1; }
        /* fall through */
    case 1:
        fm_try { r += await step(-2); } fm_catch (f) { r += 10; break; }
    case 2:
        fm_try {
            fm_try { await step(-3); } fm_catch (f) {
                r = fm_fault_code(f);
                fm_try { await step(-4); } fm_catch (g) {
                    r = 10 * r + fm_fault_code(g);
                    fm_throw(100 + r, "both");
                }
            }
        } fm_catch (g) { r = fm_fault_code(g) + (await step(1000)); }
        break;
    default:
        if (n == 3)
            fm_try { r = await step(33); } fm_catch (f) { r = -1; }
        else
            fm_try { r = await step(-n); } fm_catch (f) {
                r = 1000 * fm_fault_code(f);
            }
    }
    return r;
}
async int main(void)
{
    for (int k = 0; k < 10; k++) {
        wait = k & 1;
        printf("%d\n", await work(k / 2));
    }
    return 0;
}

// Variable-size arrays live through tries, handlers and deferred code.
// not: alloc
#include <fermata.h>
#include <stdio.h>

static int wait;
static async int step(int v)
{
    if (wait) await fm_yield();
    if (v < 0) fm_throw(-v, "step");
    return v;
}
static async int fill(int *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = await step(i);
    return n;
}
static async int work(int n, int bad)
{
    fm_fault *f;
    int outer[n], sum = 0;
    await fill(outer, n);
    for (int round = 1; round < 4; round++) {
        fm_try {
            int inner[n * round];
            FM_DEFER {
                int copy[n];
                await fill(copy, n);
                sum += copy[n - 1] + inner[0];
            }
            sum += await fill(inner, n * round);
            await step(round == bad ? -round : round);
            sum += inner[n * round - 1];
        } fm_catch (f) {
            int again[round + 1];
            sum += 1000 * await fill(again, round + 1) + again[round];
            if (bad == 2) continue;
        }
        outer[0] += round;
        sum += outer[n - 1];
    }
    return sum * 10 + outer[0];
}
async int main(void)
{
    for (wait = 0; wait < 2; wait++)
        for (int bad = 0; bad < 4; bad++)
            printf("%d\n", await work(5, bad));
    return 0;
}

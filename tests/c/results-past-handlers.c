// Results of every shape come out of try bodies, handlers and past cleanups.
#include <fermata.h>
#include <stdio.h>

struct big { long v[9]; };
struct odd { char c[7]; };
static int wait;
static async struct big make_big(long v)
{
    if (wait) await fm_yield();
    if (v < 0) fm_throw(4, "big");
    return (struct big){{v, v + 1, v + 2}};
}
static async long double wide(int v)
{
    if (wait) await fm_yield();
    if (v < 0) fm_throw(4, "wide");
    return v / 4.0L;
}
static async struct big big(int v)
{
    fm_fault *f;
    struct big kept = {{7, 8, 9}};
    FM_DEFER await fm_yield();
    fm_try {
        kept = await make_big(v);
        return kept;
    } fm_catch (f) {
        kept.v[1] += (await make_big(20)).v[2];
        return kept;
    }
}
static async _Bool small(int v)
{
    fm_fault *f;
    volatile long double w = 1;
    fm_try { w = await wide(v); } fm_catch (f) { w = -w; }
    return w > 0;
}
async int main(void)
{
    for (wait = 0; wait < 2; wait++)
        for (int v = -1; v < 2; v += 2) {
            struct big b = await big(v);
            printf("%ld %ld %ld ", b.v[0], b.v[1], b.v[2]);
            printf("%d\n", await small(v));
        }
    return 0;
}

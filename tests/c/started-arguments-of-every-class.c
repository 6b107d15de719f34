// Arguments of a started call arrive whatever their class, in registers or
// in memory, and are copies.
#include <complex.h>
#include <fermata.h>
#include <stdio.h>

typedef float v4 __attribute__((vector_size(16)));
struct five { char c[5]; };
struct odd { short s[3]; };
struct large { char c[17]; };
union either { int i; double d; };
static int w;

static async double many(signed char a, unsigned char b, short c, _Bool d,
                         long e, int f, int g, int h, double x, float y,
                         long double z, _Complex double q, v4 v,
                         struct five p, struct odd o, struct large r,
                         union either m, __int128 n, const char *s)
{
    if (w) await fm_yield();
    return a + b + c + d + e + f + g + h + x + y + (double)z + __real__ q +
           __imag__ q + v[3] + p.c[4] + o.s[2] + r.c[16] + m.d + (double)n +
           s[0];
}

async int main(void)
{
    for (w = 0; w < 2; w++) {
        struct five p = {{1, 2, 3, 4, 5}};
        struct odd o = {{1, 2, 3}};
        struct large r = {{0}};
        union either m = {.d = 0.5};
        FM_TASK(double) t, u;

        t = fm_start(many(-1, 255, -300, 1, 1L << 33, 6, 7, 8, 1.5, 2.5f,
                          3.25L, 1 + 2 * I, (v4){1, 2, 3, 4}, p, o, r, m,
                          11, "a"));
        p.c[4] = o.s[2] = r.c[16] = 99;
        u = fm_start_on(fm_executor_self(),
                        many(-1, 255, -300, 1, 1L << 33, 6, 7, 8, 1.5, 2.5f,
                             3.25L, 1 + 2 * I, (v4){1, 2, 3, 4}, p, o, r, m,
                             11, "a"));
        m.d = 99;
        printf("%f\n", await fm_join(t));
        printf("%f\n", await fm_join(u));
    }
    return 0;
}

// A task's result arrives unchanged whatever its type, done at once or later.
#include <fermata.h>
#include <stdio.h>

struct three { char c[3]; };
struct twelve { int a, b, c; };
struct mixed { float f; double d; };
struct large { long a[7]; };
struct aligned { _Alignas(64) int x; };

#define TYPE(T, name, first)                                                 \
    static async T give_##name(T v, int wait)                                \
    {                                                                        \
        if (wait) await fm_yield();                                          \
        return v;                                                            \
    }                                                                        \
    static async void check_##name(T v, int wait)                            \
    {                                                                        \
        FM_TASK(T) t = fm_start(give_##name(v, wait));                       \
        T a = await fm_get(t), b = await fm_join(t), c, d;                   \
        FM_TASK(T) u = fm_begin(&c, give_##name(v, wait));                   \
        if (u) c = await fm_join(u);                                         \
        fm_fault *f = await fm_attempt(&d, give_##name(v, wait));            \
        FM_VALUE(T) w = fm_value(give_##name(v, wait));                      \
        T e = await fm_take(&w);                                             \
        T g = await fm_within(FM_S(5), give_##name(v, wait));                \
        printf(#name " %g %g %g %g %g %g %d\n", (double)a first,             \
               (double)b first, (double)c first, (double)d first,            \
               (double)e first, (double)g first, f != NULL);                 \
    }
TYPE(_Bool, bool, )
TYPE(signed char, char, )
TYPE(unsigned short, short, )
TYPE(long, long, )
TYPE(__int128, int128, )
TYPE(float, float, )
TYPE(long double, ldouble, )
TYPE(struct three, three, .c[2])
TYPE(struct twelve, twelve, .c)
TYPE(struct mixed, mixed, .d)
TYPE(struct large, large, .a[6])
TYPE(struct aligned, aligned, .x)

async int main(void)
{
    for (int wait = 0; wait < 2; wait++) {
        await check_bool(1, wait);
        await check_char(-7, wait);
        await check_short(65535, wait);
        await check_long(-(1L << 40), wait);
        await check_int128((__int128)1 << 80, wait);
        await check_float(1.5f, wait);
        await check_ldouble(2.25L, wait);
        await check_three((struct three){{1, 2, 3}}, wait);
        await check_twelve((struct twelve){1, 2, 3}, wait);
        await check_mixed((struct mixed){1, 2.5}, wait);
        await check_large((struct large){{1, 2, 3, 4, 5, 6, 7}}, wait);
        await check_aligned((struct aligned){9}, wait);
    }
    return 0;
}

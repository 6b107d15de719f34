// A task's result arrives unchanged in every form, for the odd types too:
// packed, bit-fields, vectors, _BitInt, complex, unions, empty structs.
#include <fermata.h>
#include <stdio.h>
#include <string.h>
static int w;
struct empty {
};
struct f3 {
    float a, b, c;
};
struct bf {
    unsigned a : 3, b : 11;
    signed c : 9;
};
struct pk {
    char c;
    int i;
} __attribute__((packed));
struct n9 {
    char c[9];
};
struct n15 {
    char c[15];
};
struct n16 {
    char c[16];
};
struct n17 {
    char c[17];
};
struct fl {
    float f;
    int i;
};
struct dl {
    double d;
    long l;
};
struct ld1 {
    long double x;
};
union uu {
    float f;
    char c[3];
};
typedef int v8 __attribute__((vector_size(32)));
typedef double v16 __attribute__((vector_size(64)));
typedef short v4s __attribute__((vector_size(8)));
typedef _Bool (*fp)(int);
typedef _BitInt(37) b37;
typedef unsigned _BitInt(200) b200;
typedef _Float16 h16;
typedef _Complex long double cld;
typedef _Complex float cf;
typedef __int128 i128;
typedef enum { AA, BB = 77 } en;
typedef const char *str;
struct nest {
    struct {
        short s;
        struct f3 f;
    } in[2];
};
struct hasarr {
    int n;
    fp p;
    void *q[3];
};
#define T(ty, n, ...)                                                          \
    static async ty give_##n(ty v, int k)                                      \
    {                                                                          \
        if (w)                                                                 \
            await fm_yield();                                                  \
        (void)k;                                                               \
        return v;                                                              \
    }                                                                          \
    static int same_##n(ty a, ty b)                                            \
    {                                                                          \
        return memcmp(&a, &b, SZ(ty)) == 0;                                    \
    }                                                                          \
    static async int check_##n(void)                                           \
    {                                                                          \
        ty v;                                                                  \
        memset(&v, 0, sizeof v);                                               \
        v = (ty)__VA_ARGS__;                                                   \
        int bad = 0;                                                           \
        ty a;                                                                  \
        memset(&a, 0, sizeof a);                                               \
        FM_TASK(ty) t = fm_start(give_##n(v, 1));                              \
        a = await fm_get(t);                                                   \
        bad += !same_##n(v, a);                                                \
        a = await fm_join(t);                                                  \
        bad += !same_##n(v, a);                                                \
        memset(&a, 0, sizeof a);                                               \
        fm_fault *f = await fm_attempt(&a, give_##n(v, 2));                    \
        bad += f || !same_##n(v, a);                                           \
        struct {                                                               \
            char x;                                                            \
            ty a;                                                              \
            char y;                                                            \
        } s;                                                                   \
        memset(&s, 0, sizeof s);                                               \
        s.y = 77;                                                              \
        f = await fm_attempt(&s.a, give_##n(v, 2));                            \
        bad += f || !same_##n(v, s.a) || s.y != 77;                            \
        memset(&s, 0, sizeof s);                                               \
        s.y = 66;                                                              \
        FM_TASK(ty) u = fm_begin(&s.a, give_##n(v, 3));                        \
        if (u)                                                                 \
            s.a = await fm_join(u);                                            \
        bad += !same_##n(v, s.a) || s.y != 66;                                 \
        a = await fm_within(FM_S(9), give_##n(v, 4));                          \
        bad += !same_##n(v, a);                                                \
        FM_VALUE(ty) va = fm_value(give_##n(v, 5));                            \
        a = await fm_take(&va);                                                \
        bad += !same_##n(v, a);                                                \
        FM_SOURCE(ty) so = fm_source_new(ty);                                  \
        FM_TASK(ty) ts = fm_source_task(so);                                   \
        fm_source_set(so, v);                                                  \
        fm_source_release(so);                                                 \
        a = await fm_join(ts);                                                 \
        bad += !same_##n(v, a);                                                \
        u = fm_completed(ty, v);                                               \
        a = await fm_join(u);                                                  \
        bad += !same_##n(v, a);                                                \
        u = fm_start_on(fm_executor_self(), give_##n(v, 3));                   \
        a = await fm_join(u);                                                  \
        bad += !same_##n(v, a);                                                \
        if (bad)                                                               \
            printf("bad " #n " %d\n", bad);                                    \
        return bad;                                                            \
    }
#define SZ(ty)                                                                 \
    (sizeof(ty) == 16 && __builtin_types_compatible_p(ty, long double) ? 10    \
     : __builtin_types_compatible_p(ty, cld)                           ? 10    \
     : __builtin_types_compatible_p(ty, struct ld1)                    ? 10    \
     : __builtin_types_compatible_p(ty, b200)                          ? 25    \
                                              : sizeof(ty))
T(struct f3, f3, (struct f3){1, 2, 3})
T(struct bf, bf, (struct bf){5, 1000, -200}) T(
    struct pk, pk, (struct pk){3, 70000}) T(struct n9, n9,
                                            (struct n9){"abcdefgh"})
    T(struct n15, n15, (struct n15){"abcdefghijklmn"}) T(
        struct n16, n16,
        (struct n16){"abcdefghijklmno"}) T(struct n17, n17,
                                           (struct n17){"abcdefghijklmnop"})
        T(struct fl, fl, (struct fl){1.5f, 7}) T(
            struct dl, dl,
            (struct dl){1.5, 7}) T(struct ld1, ld1, (struct ld1){1.5L})
            T(union uu, uu,
              (union uu){.c = "ab"}) T(v8, v8, (v8){1, 2, 3, 4, 5, 6, 7, 8})
                T(v16, v16,
                  (v16){1, 2, 3, 4, 5, 6, 7, 8}) T(v4s, v4s, (v4s){1, 2, 3, 4})
                    T(b37, b37,
                      (b37)-12345678901wb) T(b200, b200, ((b200)1 << 190) + 7)
                        T(h16, h16, 1.5f) T(cld, cld, 1.5L)
                            T(cf, cf,
                              2.5f) T(i128, i128, ((i128)1 << 100) + 5)
                                T(en, en, BB) T(str, str, "hello") T(fp, fp, 0)
                                    T(struct nest, nest,
                                      (struct nest){
                                          {{1, {2, 3, 4}}, {5, {6, 7, 8}}}})
                                        T(struct hasarr, hasarr,
                                          (struct hasarr){
                                              3,
                                              0,
                                              {0, &w,
                                               0}}) typedef long double ldbl;
T(ldbl, ldbl, 3.25L) typedef _Bool bo;
T(bo, bo, 1) typedef float fl1;
T(fl1, fl1, 3.5f) typedef signed char sc;
T(sc, sc, -5)
static async struct empty
em(struct empty e, int x)
{
    if (w)
        await fm_yield();
    w += x;
    w -= x;
    return e;
}
static async int
check_empty(void)
{
    struct empty e;
    FM_TASK(struct empty) t = fm_start(em(e, 1));
    e = await fm_get(t);
    e = await fm_join(t);
    fm_fault *f = await fm_attempt(&e, em(e, 3));
    FM_TASK(struct empty) u = fm_begin(&e, em(e, 3));
    if (u)
        await fm_join(u);
    return f != 0;
}
async int
main(void)
{
    int bad = 0;
    for (w = 0; w < 2; w++) {
#define C(n) bad += await check_##n();
        C(f3)
        C(bf) C(pk) C(n9) C(n15) C(n16) C(n17) C(fl) C(dl) C(ld1) C(uu) C(v8)
            C(v16) C(v4s) C(b37) C(b200) C(h16) C(cld) C(cf) C(i128) C(en)
                C(str) C(fp) C(nest) C(hasarr) C(ldbl) C(bo) C(fl1) C(sc)
                    C(empty)
    }
    printf("bad %d\n", bad);
    return 0;
}

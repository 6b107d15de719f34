"""Every type in every place where a call may carry it.

shape_program(types) is one C file: for each type the functions below, then
`program`, which runs them all and notes a hash of each value that arrives.
"""
from classes import PROLOGUE

# $N the type's name, $T its C spelling, $A attributes of helper functions.
SHAPES = r"""
/* ---- $T ---- */
struct in_$N {
    char before;
    $T v;
    char after;
};

$A static async $T
id_$N(struct cx *cx, $T v)
{
    await point(cx);
    return v;
}

$A static async $T
make_$N(struct cx *cx, unsigned long s)
{
    $T v;
    fill_$N(&v, s);
    await point(cx);
    return v;
}

$A static async $T
now_$N(struct cx *cx, $T v)
{
    (void)cx;
    return v;
}

$A static async $T
tail_$N(struct cx *cx, $T v)
{
    return await id_$N(cx, v);
}

$A static async $T
remade_$N(struct cx *cx, $T v, unsigned long s)
{
    unsigned long h = hash_$N(&v);
    await point(cx);
    fill_$N(&v, s + h);
    await point(cx);
    return v;
}

static async $T
through_$N(struct cx *cx, async $T (*f)(struct cx *, $T), $T v)
{
    $T r = await f(cx, v);
    await point(cx);
    note(cx, "$N.through", hash_$N(&r) + hash_$N(&v));
    return r;
}

$A static async $T
many_$N(struct cx *cx, long a, $T u, double d, long b, float e, long c,
        double f, $T v, char g, double h, long i, double j, $T w, double k,
        double l, short m, double n, double o, int z)
{
    await point(cx);
    note(cx, "$N.many", (unsigned long)(a + b * 2 + c * 3 + g * 4 + i * 5 +
         m * 6 + (long)(d + e * 2 + f * 3 + h * 4 + j * 5 + k * 6 + l * 7 +
         n * 8 + o * 9)) + hash_$N(&u) + hash_$N(&w) * 3);
    await point(cx);
    return z == 0 ? u : z == 1 ? v : w;
}

$A static async $T
loop_$N(struct cx *cx, $T v)
{
    for (unsigned i = 0; i < 3; i++) {
        $T w = v;
        await point(cx);
        note(cx, "$N.loop", hash_$N(&w));
        fill_$N(&v, hash_$N(&w) + i);
        if (i == 1)
            w = await id_$N(cx, v);
        note(cx, "$N.loop", hash_$N(&w) ^ hash_$N(&v));
    }
    return v;
}

$A static async void
out_$N(struct cx *cx, $T *out, unsigned long s)
{
    fill_$N(out, s);
    await point(cx);
    fill_$N(out, hash_$N(out) + s);
    await point(cx);
}

static async $T
deep_$N(struct cx *cx, $T v, unsigned n)
{
    $T r;
    if (n == 0)
        return await id_$N(cx, v);
    r = await deep_$N(cx, v, n - 1);
    fill_$N(&r, hash_$N(&r) + hash_$N(&v) + n);
    return r;
}

$A static async struct in_$N
wrap_$N(struct cx *cx, $T v)
{
    struct in_$N w = {.before = 1, .v = v, .after = 2};
    await point(cx);
    return w;
}

static async $T
lent_$N(struct cx *cx)
{
    $T a, b;
    await out_$N(cx, &a, 41);
    await out_$N(cx, &b, hash_$N(&a));
    note(cx, "$N.lent", hash_$N(&a) ^ hash_$N(&b) * 3);
    return await num(cx, 0) ? a : b;
}

__attribute__((noinline)) static async void
use_$N(struct cx *cx)
{
    static $T st;
    struct in_$N *heap = aligned_alloc(_Alignof(struct in_$N),
                                       sizeof(struct in_$N));
    $T a = await make_$N(cx, 1), arr[3];
    volatile $T vol;

    note(cx, "$N.make", hash_$N(&a));
    $T b = await remade_$N(cx, a, 2);
    note(cx, "$N.remade", hash_$N(&b));
    heap->before = 11, heap->after = 22;
    heap->v = await id_$N(cx, b);
    note(cx, "$N.heap", hash_$N(&heap->v) + heap->before + heap->after);
    for (unsigned i = 0; i < 3; i++)
        fill_$N(&arr[i], i);
    arr[await num(cx, 1)] = await tail_$N(cx, arr[await num(cx, 2)]);
    note(cx, "$N.element", hash_$N(&arr[0]) ^ hash_$N(&arr[1]) * 3 ^
         hash_$N(&arr[2]) * 5);
    (void)await id_$N(cx, a);
    await now_$N(cx, b);
    $T c = await id_$N(cx, await tail_$N(cx, await make_$N(cx, 7)));
    note(cx, "$N.nested", hash_$N(&c));
    $T d = await num(cx, 1) ? await now_$N(cx, a) : await id_$N(cx, b);
    note(cx, "$N.choice", hash_$N(&d));
    $T e = await through_$N(cx, await num(cx, 1) ? tail_$N : id_$N, c);
    note(cx, "$N.pointer", hash_$N(&e));
    e = await many_$N(cx, 1, a, 2, 3, 4, 5, 6, b, 7, 8, 9, 10, c, 11, 12, 13,
                      14, 15, (int)await num(cx, 1));
    note(cx, "$N.many", hash_$N(&e));
    e = await loop_$N(cx, e);
    note(cx, "$N.loop", hash_$N(&e));
    e = await deep_$N(cx, e, 4);
    note(cx, "$N.deep", hash_$N(&e));
    struct in_$N w = await wrap_$N(cx, e);
    note(cx, "$N.wrap", hash_$N(&w.v) + (unsigned)w.before * 4 +
         (unsigned)w.after);
    w = (struct in_$N){(char)await num(cx, 5), await id_$N(cx, b),
                       (char)await num(cx, 6)};
    note(cx, "$N.literal", hash_$N(&w.v) + (unsigned)w.before * 4 +
         (unsigned)w.after);
    $T pair[2] = {await id_$N(cx, a), await make_$N(cx, 77)};
    note(cx, "$N.array", hash_$N(&pair[0]) + hash_$N(&pair[1]) * 3);
    st = await make_$N(cx, 5);
    note(cx, "$N.static", hash_$N(&st));
    e = await lent_$N(cx);
    note(cx, "$N.lent", hash_$N(&e));
    vol = a;
    await point(cx);
    e = vol;
    note(cx, "$N.volatile", hash_$N(&e));
    FM_TASK($T) t1 = fm_start(id_$N(cx, a));
    FM_TASK($T) t2 = fm_start(make_$N(cx, await num(cx, 9)));
    e = await fm_get(t1);
    $T f = await fm_join(t2);
    $T g = await fm_join(t1);
    note(cx, "$N.task", hash_$N(&e) + hash_$N(&f) * 3 + hash_$N(&g) * 5);
    FM_VALUE($T) v1 = fm_value(now_$N(cx, b));
    FM_VALUE($T) v2 = fm_value(tail_$N(cx, a));
    e = await fm_take(&v2);
    f = await fm_take(&v1);
    note(cx, "$N.value", hash_$N(&e) + hash_$N(&f) * 3);
    if (!await fm_attempt(&e, make_$N(cx, 12)))
        note(cx, "$N.attempt", hash_$N(&e));
    e = await fm_within(FM_S(100), make_$N(cx, 13));
    note(cx, "$N.within", hash_$N(&e));
    FM_SOURCE($T) s = fm_source_new($T);
    fm_source_set(s, a);
    FM_TASK($T) t3 = fm_source_task(s);
    fm_source_release(s);
    FM_TASK($T) t4 = fm_completed($T, b);
    e = await fm_join(t3);
    f = await fm_join(t4);
    note(cx, "$N.source", hash_$N(&e) + hash_$N(&f) * 3);
    free(heap);
}
"""

# Functions that may be started lie one per type; how their bodies may be
# inlined goes round.
ATTRS = ("__attribute__((noinline))", "", "inline", "__attribute__((cold))",
         "__attribute__((always_inline)) inline")


def shape_program(types):
    out = ["#include \"point.h\"\n", PROLOGUE,
           "typedef int vi32t __attribute__((vector_size(32)));\n"]
    uses = []
    for n, t in enumerate(types):
        out.append(t.words())
        attr = ATTRS[n % len(ATTRS)]
        text = SHAPES.replace("$N", t.name).replace("$T", t.c)
        if "always_inline" in attr:
            text = text.replace("$A", attr)
        out.append(text.replace("$A", attr))
        uses.append("    await use_%s(cx);" % t.name)
    out.append("\nasync void\nprogram(struct cx *cx)\n{\n%s\n}\n" %
               "\n".join(uses))
    return "".join(out)

// Handles live in structs, arrays, atomics and statics; marks stand in loops,
// not: alloc
// conditions, statement expressions and subscripts.
#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int w;
static async int
leaf(int x)
{
    if (w)
        await fm_yield();
    return x + 1;
}
static async int
sum(int n, const int a[n], int (*m)[n])
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i] + await leaf(m[0][i]);
    }
    return s;
}
typedef FM_TASK(int) handle;
struct owner {
    handle h;
    FM_TASK(const char *) s;
    _Atomic(handle) ah;
    struct {
        FM_TASK(void) v;
    } in[2];
};
static async const char *
name(int i)
{
    if (w)
        await fm_yield();
    return i ? "one" : "zero";
}
static async void
nothing(void)
{
    if (w)
        await fm_yield();
}
static async handle
make(int x)
{
    if (w)
        await fm_yield();
    return fm_start(leaf(x));
}
static async void
fill(struct owner *o)
{
    o->h = fm_start(leaf(1));
    o->s = fm_start(name(1));
    o->ah = fm_start(leaf(5));
    o->in[1].v = fm_start(nothing());
}
static handle stat_h;
static async int
use(handle *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += await fm_join(p[i]);
    return s;
}
static int
ord(int x)
{
    handle h = fm_start(leaf(x));
    stat_h = h;
    return 3;
}
struct bits {
    unsigned a : 4;
    int b : 5;
};
static async int
pick(int k)
{
    return ({
        int q = await leaf(k);
        switch (q) {
        case 1:
            q = await fm_join(fm_start(leaf(q)));
            break;
        case 2:
            q += ({
                fm_fault *f = await fm_attempt(&q, leaf(7));
                f ? 1 : q;
            });
        default:
            q *= 2;
        }
        q;
    });
}
static async int
rec(int n)
{
    if (n == 0)
        return await leaf(0);
    handle t = fm_start(rec(n - 1));
    return await fm_join(t) + 1;
}
typedef async int fnt(int);
static fnt *
choose(int k)
{
    return k ? leaf : pick;
}
static async int
thr(int x)
{
    if (x)
        fm_throw(x, "x");
    return 0;
}
static async int
many(int n)
{
    handle *h = malloc(sizeof *h * (size_t)n);
    int s = 0;
    for (int i = 0; i < n; i++)
        h[i] = i % 3 ? fm_start(leaf(i)) : fm_start(pick(i % 5));
    await fm_all(h, (size_t)n);
    for (int i = 0; i < n; i++) {
        s += await fm_get(h[i]);
        fm_release(h[i]);
    }
    free(h);
    return s;
}
static async int
vla(int n)
{
    handle h[n];
    for (int i = 0; i < n; i++)
        h[i] = fm_start(leaf(i));
    return await use(h, n);
}
static async int
gotos(int n)
{
    int s = 0;
    handle t = NULL;
again:
    if (t)
        s += await fm_join(t);
    t = fm_start(leaf(n));
    if (n-- > 0)
        goto again;
    return s + await fm_join(t);
}
static async int
chainfault(int n)
{
    FM_AUTO handle t = fm_start(thr(n));
    int v = 5;
    fm_fault *f = await fm_attempt(&v, fm_get(t));
    if (f && fm_fault_code(f) == n)
        v += 1;
    f = await fm_attempt(&v, fm_get(t));
    return v + (f != NULL);
}
async int
main(void)
{
    for (w = 0; w < 2; w++) {
        int a[3] = {1, 2, 3};
        int m[1][3] = {{4, 5, 6}};
        handle t = fm_start(sum(3, a, m));
        int i = 0, arr[4] = {0};
        arr[i++] += await fm_join(t);
        arr[i++] = await fm_join(await make(4)) * 2;
        struct owner o;
        await fill(&o);
        printf("%d %d %d %s ", arr[0], arr[1], await fm_join(o.h),
               await fm_join(o.s));
        await fm_join(o.in[1].v);
        printf("%d ", await fm_join(o.ah));
        FM_TASK(handle) th = fm_start(make(9));
        printf("%d ", await fm_join(await fm_join(th)));
        ord(6);
        printf("%d\n", await fm_join(stat_h));
        struct bits b = {0};
        b.a = (unsigned)await fm_join(fm_start(leaf(20)));
        b.b = await fm_within(FM_S(1), leaf(-9));
        printf("%d %d %d %d %d %d\n", b.a, b.b, await pick(0), await pick(1),
               await pick(2), await rec(200));
        t = fm_start(choose(1)(3));
        printf("%d ", await fm_join(t));
        t = fm_start((*choose(0))(0));
        printf("%d\n", await fm_join(t));
        printf("%d %d %d %d %d\n", await many(30), await vla(7), await gotos(4),
               await chainfault(9), await chainfault(0));
        for (int k = await fm_join(fm_start(leaf(-1)));
             k < await fm_join(fm_start(leaf(2)));
             k += await fm_join(fm_start(leaf(0))))
            printf("k%d ", k);
        do {
            i = await fm_join(fm_start(leaf(i)));
        } while (i < 5 && await fm_join(fm_start(leaf(0))));
        printf(
            "%d %d\n", i,
            (await fm_join(fm_start(leaf(0))), await fm_join(fm_start(leaf(1))))
                ? i ?: await leaf(1)
                : 0);
        size_t z = sizeof(await fm_join(fm_start(leaf(1))));
        printf("%zu\n", z);
    }
    return 0;
}

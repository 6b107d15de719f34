// Async functions are called through structs, tables and parameters.
// plain
// id: T03, T04, X21
#include <fermata.h>
#include <stdio.h>

struct shape;
typedef async int area_fn(const struct shape *);
typedef async void grow_fn(struct shape *, int);
struct vtable { area_fn *area; grow_fn *grow; };
struct shape { const struct vtable *v; int a, b; };

static async int square(const struct shape *s) { return s->a * s->a; }
static async int
oblong(const struct shape *s)
{
    await fm_yield();
    return s->a * s->b;
}
static async void one(struct shape *s, int by) { s->a += by; }
static async void
two(struct shape *s, int by)
{
    s->a += by;
    await fm_yield();
    s->b += by;
}
static const struct vtable squares = {square, one}, oblongs = {oblong, two};

static inline async int
total(struct shape *s, int n, grow_fn *before)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        await s[i].v->grow(&s[i], i);
        if (before)
            await before(&s[i], 1);
        sum += await (*s[i].v->area)(&s[i]);
    }
    return sum;
}

async int
main(void)
{
    struct shape s[] = {{&squares, 2, 0}, {&oblongs, 3, 4}, {&squares, 5, 1}};
    async int (*volatile hidden)(struct shape *, int, grow_fn *) = total;
    printf("%d\n", await total(s, 3, NULL));
    printf("%d\n", await hidden(s, 3, two));
    return 0;
}

// Old-style definitions and declarations in odd places are async all right.
// plain
// not: gcc
#include <fermata.h>
#include <stdio.h>

static async int old(int, int, double, int);
static async int
old(a, b, c, d)
    int a;
    int b;
    double c;
    int d;
{
    await fm_yield();
    return a + b + (int)c + d;
}
async static int order(int a) { await fm_yield(); return a; }
static int async order2(int a) { await fm_yield(); return a + 1; }
typedef async int step(int);
static step declared_by_typedef;
async int outer(int);
int outer(int a) { await fm_yield(); return await declared_by_typedef(a); }
static async int
declared_by_typedef(int a)
{
    extern async int outer(int), elsewhere(int);
    await fm_yield();
    return a > 3 ? a : await outer(a + 1) + await elsewhere(a);
}
async int
elsewhere(int a)
{
    step *p = order, *(*pp)[2] = &(step *[2]){order2, p};
    return await (*pp)[0](a) + await (*pp)[1](a) + await (**pp)(a);
}
struct self { struct self *me; step *f; async int (*g)(struct self *); };
static async int me(struct self *s) { return await s->me->f(4); }
static step *choose(int w) { return w ? order : order2; }
static async void nothing(void) {}
static async int noparameter() { await nothing(); return 3; }

async int
main()
{
    struct self s = {&s, order2, me};
    printf("%d %d %d\n", await old(1, 2, 3.5, 4), await order(5),
           await order2(5));
    printf("%d %d\n", await outer(1), await s.me->me->g(s.me));
    printf("%d %d\n", await choose(0)(7), await (*choose(1))(7));
    printf("%d\n", await noparameter());
}

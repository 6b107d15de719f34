// Ordinary callbacks between async functions see one program state.
// plain
#include <fermata.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct visit { int n; int *seen; };
static int
plain_each(const int *v, int n, int (*f)(int, void *), void *arg)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += f(v[i], arg);
    return s;
}
static int
count(int v, void *arg)
{
    struct visit *visit = arg;
    visit->seen[visit->n++] = v;
    return v * visit->n;
}
static int
sum(int n, ...)
{
    va_list ap;
    int s = 0;
    va_start(ap, n);
    while (n--)
        s = s * 10 + va_arg(ap, int);
    va_end(ap);
    return s;
}
static async int val(int v) { await fm_yield(); return v; }

static async int
mixed(int n)
{
    int v[5] = {3, 1, 2, await val(9), n}, seen[10] = {0};
    struct visit visit = {0, seen};
    int a = plain_each(v, 5, count, &visit);
    await fm_yield();
    a += plain_each(v, 5, count, &visit);
    await fm_yield();
    return a * 100 + seen[9] + visit.n + sum(3, await val(1), await val(2),
                                             await val(3));
}

async int
main(void)
{
    printf("%d\n", await mixed(4));
    return 0;
}

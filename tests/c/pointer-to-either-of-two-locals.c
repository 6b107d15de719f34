// A pointer that may be to either of two locals is right after a suspension.
// plain
#include <fermata.h>
#include <stdio.h>

/* Not every await suspends: else all stand at one depth of the stack. */
static int calls, every = 1;
__attribute__((noinline)) static async int
val(int v)
{
    if (++calls % every == 0)
        await fm_yield();
    return v;
}
__attribute__((noinline)) static async int
now(int v)
{
    return v;
}

static async long
either(int first)
{
    long double x = 1, y = 2, z = 3;
    long double *p = await now(first) ? &x : &y;
    x += await val(1);
    *p += await val(10);
    p = first == 1 ? &y : first == 2 ? &z : &x;
    y *= await val(3);
    *p += await val(20);
    return (long)(x * 10000 + y * 100 + z);
}

__attribute__((noinline)) static async long
chosen(void)
{
    long double x = await val(1), y = await val(2);
    long double *p = await val(1) ? &x : &y;
    *p = *p + await val(1);
    y += x * 100;
    x = 0;
    p = await val(0) ? &x : &y;
    *p = await val(3);
    return (long)y;
}

static async int
walks(int n)
{
    int a[2] = {1, 2}, b[2] = {3, 4}, *p = a;
    for (int i = 0; i < n; i++) {
        *p += await val(i);
        p = p == a ? b + 1 : p == b + 1 ? a + 1 : p == a + 1 ? b : a;
    }
    return ((a[0] * 50 + a[1]) * 50 + b[0]) * 50 + b[1];
}

async int
main(void)
{
    for (int i = 0; i < 18; every = i++ / 3 + 1)
        printf("%ld %d %ld\n", await either(i % 3), await walks(3 * i + 1),
               await chosen());
    return 0;
}

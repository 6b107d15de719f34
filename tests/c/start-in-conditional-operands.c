// Starts of calls that return through memory yield their handles also where
// their temporaries end on a condition; over-aligned results too.
#include <fermata.h>
#include <stdio.h>

typedef struct { long a[5]; } large;
typedef struct { _Alignas(64) int x; } aligned;

static async large first(int n)
{
    await fm_yield();
    return (large){{n}};
}
static async aligned second(int n)
{
    await fm_yield();
    return (aligned){n};
}
static int number(large v, aligned w) { return (int)v.a[0] * 10 + w.x; }

static async int choose(int n)
{
    fm_fault *f;
    large v;
    int sum = n ? number(await fm_join(fm_start(first(n))),
                         await fm_join(fm_start(second(n))))
                : n;

    sum += n > 1 && number(await fm_take(&(FM_VALUE(large)){
                               fm_value(first(n))}),
                           await fm_join(fm_start_on(fm_executor_self(),
                                                     second(n)))) > 20
               ? 1000
               : 0;
    sum += n && (f = await fm_attempt(&v, first(n))) ? 1 : (int)v.a[0];
    return sum;
}

async int main(void)
{
    for (int i = 1; i < 4; i++)
        printf("%d\n", await choose(i));
    return 0;
}

// Statics are one object for all activations, autos one for each.
// plain
#include <fermata.h>
#include <stdio.h>

static async int
mutual_b(int n);
static async int
mutual_a(int n)
{
    static int entered;
    int mine = ++entered;
    if (n)
        mine += await mutual_b(n - 1);
    await fm_yield();
    return mine * 3 + entered;
}
static async int
mutual_b(int n)
{
    static int entered[2];
    int mine[3] = {++entered[n & 1], n, 0};
    mine[2] = n ? await mutual_a(n - 1) : 1;
    await fm_yield();
    return mine[0] + mine[1] + mine[2] + entered[1];
}
static async unsigned
ackermann(unsigned m, unsigned n)
{
    await fm_yield();
    if (m == 0)
        return n + 1;
    if (n == 0)
        return await ackermann(m - 1, 1);
    return await ackermann(m - 1, await ackermann(m, n - 1));
}

async int
main(void)
{
    printf("%d\n", await mutual_a(9));
    printf("%d\n", await mutual_a(4));
    printf("%u\n", await ackermann(2, 5));
    return 0;
}

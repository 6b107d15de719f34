// An await that always suspends before another does not confuse the second.
// plain
// id: X23
#include <fermata.h>
#include <stdio.h>

static async int val(int v) { await fm_yield(); return v; }

static async int straight(int a)
{
    await fm_yield();
    return await val(a) + await val(a + 1);
}
static async int branches(int a)
{
    await fm_yield();
    int r = a > 3 ? await val(1) : 2;
    await fm_yield();
    return r + a;
}
static async int in_loop(int a)
{
    int r = 0;
    await fm_yield();
    for (int i = 0; i < a; i++) {
        r += await val(i);
        if (r > 5)
            await fm_yield();
    }
    return r;
}
static async int endless(int a)
{
    for (;;) {
        await fm_yield();
        if (--a == 0)
            return await val(9);
    }
}

async int
main(void)
{
    printf("%d %d %d %d %d\n", await straight(3), await branches(3),
           await branches(4), await in_loop(6), await endless(5));
    return 0;
}

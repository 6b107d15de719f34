// A function of nothing but awaits in return position resumes right.
// plain
// id: X22, T12
#include <fermata.h>
#include <stdio.h>

struct big { long v[6]; };

static async int
leaf(int v)
{
    await fm_yield();
    return v;
}
static async int one(int v) { return await leaf(v); }
static async int two(int v) { return v & 1 ? await one(v) : await leaf(v); }
static async int loop(int n)
{
    return n == 0 ? await two(41) : await loop(n - 1);
}
static async struct big
make(long v)
{
    struct big b = {{v, v + 1, v + 2, v + 3, v + 4, v + 5}};
    await fm_yield();
    return b;
}
static async struct big pass(long v) { return await make(v * 2); }
static async void nothing(void) { return await fm_yield(); }
static async void same(void) { return await nothing(); }

async int
main(void)
{
    printf("%d %d %d\n", await two(41), await two(42), await loop(1000));
    struct big b = await pass(21);
    printf("%ld %ld\n", b.v[0], b.v[5]);
    await same();
    return 0;
}

// A two-register struct with overlapping members is redefined rightly.
// plain
// id: L02
#include <fermata.h>
#include <stdio.h>

union overlap {
    struct { int a, b; long c; } s;
    struct { long ab; double d; } t;
};

__attribute__((noinline)) static union overlap
plain_make(int v)
{
    union overlap u = {.s = {v, v + 1, v + 2}};
    return u;
}

static async union overlap
make(int v)
{
    union overlap u = {.s = {v, v + 1, v + 2}};
    await fm_yield();
    return u;
}

async int
main(void)
{
    union overlap u = plain_make(1);
    long sum = u.s.a + u.s.b + u.s.c;
    for (int i = 0; i < 5; i++) {
        await fm_yield();
        sum = sum * 3 + u.s.b;
        u = await make(i * 10);
        sum = sum * 3 + u.s.a + u.s.b + u.s.c;
        u.s.b = i;
        await fm_yield();
        sum += (long)(u.t.ab >> 32) + u.s.c;
        u = plain_make(i);
    }
    printf("%ld\n", sum);
    return 0;
}

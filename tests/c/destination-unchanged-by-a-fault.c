// x = await f() leaves x as it was when f faults.
// id: F01, F02, F03
#include <fermata.h>
#include <stdio.h>

struct s { long v[4]; };
union u { int i; char c[24]; };

static async int
fails_int(bool wait)
{
    if (wait)
        await fm_yield();
    fm_throw(FM_CODE_USER, "int");
}
static async struct s
fails_struct(bool wait)
{
    if (wait)
        await fm_yield();
    fm_throw(FM_CODE_USER, "struct");
}
static async union u
fails_union(bool wait)
{
    union u u = {7};
    if (wait)
        await fm_yield();
    if (u.i == 7)
        fm_throw(FM_CODE_USER, "union");
    return u;
}

static async void
tries(bool wait)
{
    fm_fault *f;
    int x = 100, *heap = &x;
    volatile int y = 101;
    struct s s = {{1, 2, 3, 4}};
    union u u = {5};
    fm_try { x = await fails_int(wait); } fm_catch (f) { }
    fm_try { y = await fails_int(wait); } fm_catch (f) { }
    fm_try { s = await fails_struct(wait); } fm_catch (f) { }
    fm_try { u = await fails_union(wait); } fm_catch (f) { }
    fm_try { *heap += await fails_int(wait); } fm_catch (f) { }
    printf("%d %d %ld %ld %d\n", x, y, s.v[0], s.v[3], u.i);
    f = await fm_attempt(&s, fails_struct(wait));
    printf("%s %ld\n", fm_fault_message(f), s.v[1]);
    f = await fm_attempt(&x, fails_int(wait));
    printf("%s %d\n", fm_fault_message(f), x);
}

async int
main(void)
{
    await tries(false);
    await tries(true);
    return 0;
}

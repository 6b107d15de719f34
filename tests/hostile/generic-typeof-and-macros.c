// await under _Generic, typeof, sizeof and assert-like macros.
// plain
#include <assert.h>
#include <fermata.h>
#include <stdio.h>

static int calls;
static async int ival(int v) { calls++; await fm_yield(); return v; }
static async double dval(double v) { calls++; await fm_yield(); return v; }
#define val(x) _Generic((x), int: ival, double: dval)(x)
#define square(x) ((x) * (x))
#define SHOW(x) printf("%s = %d\n", &#x[sizeof("await")], (int)(x))
#define CHECK(x) do { if (!(x)) printf("wrong: %s\n", #x); } while (0)

async int
main(void)
{
    __typeof__(await ival(1)) a = await val(3);
    __typeof__(await val(1.5)) d = await val(2.5);
    int unevaluated = sizeof(await ival(1)) + _Alignof(__typeof__(await
                      dval(1)));
    printf("%d %.1f %d %d\n", a, d, unevaluated, calls);
    assert(await ival(1) && await dval(1));
    SHOW(await ival(4));
    CHECK(await ival(5) == 5);
    printf("%d\n", square(await ival(6)));
    printf("%d\n", _Generic(await ival(1), int: 7, default: 8));
    printf("%d\n", calls);
    int x = __builtin_choose_expr(1, await ival(9), (void)0);
    x += __builtin_constant_p(await ival(1));
    printf("%d %d\n", x, calls);
    return 0;
}

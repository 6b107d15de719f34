#include "corner.h"
#include <stdatomic.h>
struct pair {
    long a, b;
};
async int
main(void)
{
    _Atomic int a = 1;
    _Atomic long l = 0;
    _Atomic(struct pair) ps = (struct pair){1, 2};
    _Atomic double d = 1.5;
    atomic_int arr[3] = {0};
    a += await val(3);
    a *= await val(2);
    l |= await lval(6);
    d += await dval(2.25);
    arr[await val(1)] += await val(5);
    a++;
    int r = atomic_fetch_add(&a, await val(10));
    int e = await val(19);
    bool x = atomic_compare_exchange_strong(&a, &e, await val(77));
    struct pair p = ps;
    p.a += await lval(5);
    ps = p;
    p = atomic_exchange(&ps, ((struct pair){await lval(8), await lval(9)}));
    struct pair q = ps;
    printf("%d %d %ld %g %d %d %d %ld %ld %ld\n", a, r, (long)l, d, arr[1], e,
           x, p.a, q.a, q.b);
    return 0;
}

#include "corner.h"
async int
main(void)
{
    int s = 0;
    for (int i = 0; i < 4; i++) {
        char *p = __builtin_alloca((size_t)await val(i + 1));
        p[i] = (char)await val(i);
        s += p[i];
    }
    if (__builtin_expect(await val(1), 1))
        s += __builtin_choose_expr(1, await val(10), await lval(20));
    s += __builtin_popcount((unsigned)await val(255)) +
         __builtin_constant_p(await val(1));
    int ov;
    s += __builtin_add_overflow(await val(2147483647), await val(1), &ov);
    switch (await val(3)) {
    case 0:
        __builtin_unreachable();
    case 1 ... 5:
        s += 100;
        break;
    default:
        s = 0;
    }
    long t = __builtin_bswap64((unsigned long)await lval(1)) >> 56;
    char buf[20];
    __builtin_memset(buf, await val('x'), sizeof buf);
    buf[__builtin_strlen("abcd") + (size_t)await val(1)] = 0;
    s += (int)__builtin_object_size(buf, 0) + (int)strlen(buf);
    printf("%d %ld %d\n", s, t, ov < 0);
    return 0;
}

#include "corner.h"
static async int
g(int x)
{
    int r = 0;
    __asm__ goto("test %0,%0\n\tjz %l1" : : "r"(x) : "cc" : zero);
    r = await val(1);
    return r;
zero:
    return await val(2);
}
async int
main(void)
{
    unsigned v = (unsigned)await val(5), o;
    __asm__ volatile("lea 1(%1),%0" : "=r"(o) : "r"(v));
    register long rl __asm__("rbx") = await lval(4);
    __asm__("" : "+r"(rl));
    printf("%d %d %u %ld\n", await g(0), await g(1), o, rl);
    return 0;
}

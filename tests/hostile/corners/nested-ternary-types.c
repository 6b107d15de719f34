#include "corner.h"
async int
main(void)
{
    long l = await val(1) ? await lval(5) : await val(6);
    double d = await val(0) ? await val(1) : await dval(2.5);
    const char *s = await val(1) ? (await val(0) ? "a" : "b") : "c";
    unsigned u = await val(1) ? (unsigned)await val(-1) : 0;
    void *p = await val(0) ? &l : NULL;
    int neg = -await val(3) + ~await val(4) + !await val(0) + +await val(2);
    int c =
        (int)await dval(3.9) + (char)await val(300) + (_Bool)await dval(0.5);
    printf("%ld %g %s %u %d %d %d\n", l, d, s, u, p == NULL, neg, c);
    return 0;
}

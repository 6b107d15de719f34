#include "corner.h"
struct fam {
    int n;
    char d[];
};
static async struct fam *
mk(int n)
{
    struct fam *f = malloc(sizeof *f + (size_t)await val(n));
    f->n = n;
    for (int i = 0; i < n; i++)
        f->d[i] = (char)await val('a' + i);
    f->d[n - 1] = 0;
    return f;
}
struct bf {
    unsigned a : 3;
    int b : 5;
    unsigned long c : 40;
    _Bool d : 1;
    unsigned e : 12;
};
async int
main(void)
{
    struct fam *f = await mk(5);
    printf("%s\n", f->d);
    free(f);
    struct bf s = {0};
    struct bf *p = &s;
    s.a += (unsigned)await val(9);
    s.b -= await val(3);
    p->c |= (unsigned long)await lval(1L << 39);
    s.d ^= await val(1);
    s.e = (unsigned)await val(5000);
    s.a <<= await val(1);
    p->b *= await val(-2);
    s.c++;
    s.e -= (unsigned)await val(1);
    p->d = await val(2);
    printf("%u %d %lx %d %u\n", s.a, s.b, (unsigned long)s.c, s.d, s.e);
    return 0;
}

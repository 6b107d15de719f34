#include "corner.h"
struct s3 {
    char c[3];
};
struct s20 {
    int a[5];
};
struct fd {
    float f;
    double d;
};
static async double
big(char a, struct s3 b, short c, struct s20 d, float e, long f, struct fd g,
    long double h, _Bool i, struct s20 j, double k, int l, struct s3 m,
    const char *n)
{
    double r = a + b.c[2] + c + d.a[4] + e + (double)f + g.f + g.d + (double)h +
               i + j.a[0] + k + l + m.c[0] + n[1];
    SUSPEND();
    return r + b.c[0] + d.a[0] + g.d + j.a[4] + m.c[2];
}
async int
main(void)
{
    struct s20 x = {{1, 2, 3, 4, 5}};
    printf("%g\n",
           await big('a', (struct s3){{1, 2, 3}}, (short)await val(4), x, 1.5f,
                     await lval(6), (struct fd){2.5f, await dval(3.5)}, 4.25L,
                     await val(1), (struct s20){{await val(7), 0, 0, 0, 8}},
                     9.5, 10, (struct s3){{(char)await val(11), 12, 13}},
                     "xyz"));
    return 0;
}

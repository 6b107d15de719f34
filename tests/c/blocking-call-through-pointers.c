/* fm_blocking takes calls through pointers, of variadic functions, in operands
 * and conditions, and of one that never returns. */
#include <fermata.h>
#include <unistd.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
typedef int (*fn)(const char *, ...);
struct s {
    fn p;
    int (*q)(int);
};
static int
q(int x)
{
    return x * 3;
}
static _Noreturn void
leave(int c)
{
    printf("leaving\n");
    fflush(stdout);
    _exit(c);
}
static const char *
pick(const char *a, const char *b, int n)
{
    return n ? a : b;
}
typedef float v4 __attribute__((vector_size(16)));
static v4
addv(v4 a, v4 b)
{
    return a + b;
}
static _Complex double
cx(_Complex double c)
{
    return c * 2;
}
async int
main(int argc, char **argv)
{
    struct s s = {printf, q};
    int n = await fm_blocking(s.p("%s %d\n", "hello", 5));
    n += await fm_blocking(s.q(n));
    printf("%d %s\n", n, await fm_blocking(pick("yes", "no", argc)));
    v4 a = await fm_blocking(addv((v4){1, 2, 3, 4}, (v4){1, 1, 1, 1}));
    printf("%g %g\n", a[0], a[3]);
    _Complex double c = await fm_blocking(cx(1.5));
    printf("%g\n", __real__ c);
    for (int i = 0; i < 3; i++)
        n = argc > 5 ? await fm_blocking(q(i)) : await fm_blocking(q(n));
    printf("%d\n", n);
    await fm_blocking(leave(7));
}

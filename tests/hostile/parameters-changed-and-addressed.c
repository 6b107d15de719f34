// Parameters of every qualifier may be changed and have their address taken.
// plain
#include <fermata.h>
#include <stdio.h>
#include <string.h>

struct s { int a; char text[30]; };

static async int
change(int a, const int b, volatile int c, register int d, struct s e,
       const struct s *restrict f, int g[static 3], int h[const], char *t)
{
    int *pa = &a, **ppa = &pa;
    volatile int *pc = &c;
    struct s *pe = &e;
    for (int i = 0; i < 3; i++) {
        await fm_yield();
        **ppa += b;
        *pc += i;
        d += *pc;
        pe->text[i] = (char)('A' + i);
        g[i] += h[2 - i];
        t = t + 1;
    }
    await fm_yield();
    return a * 7 + c * 5 + d * 3 + g[0] + g[2] + e.text[2] + f->text[0] +
           t[0] + e.a;
}
static async int
shadow(int n)
{
    int r = n;
    {
        int n = r * 2;
        await fm_yield();
        for (int r = 0; r < 3; r++) {
            int n = r;
            await fm_yield();
            n++;
            r += n & 1;
        }
        r += n;
    }
    return r * 100 + n;
}

async int
main(void)
{
    int g[3] = {1, 2, 3}, h[3] = {4, 5, 6};
    struct s s = {9, "lower"};
    int r = await change(1, 2, 3, 4, s, &s, g, h, s.text);
    printf("%d %d %d %s\n", r, g[0], h[0], s.text);
    printf("%d\n", await shadow(5));
    return 0;
}

// K&R definitions, missing prototypes and calls of another type still work.
// flags: -ffermata-stress=2,1 -w -std=gnu89
#include <stdio.h>

struct pair {
    int a, b;
};

wide(c, f, s, p)
char c;
float f;
short s;
struct pair p;
{
    return c + (int)(f * 2) + s + p.a * p.b;
}

int twice();
float half();
int undeclared_yet_so_int;

static int nothing(void) { return 5; }
static void no_result(int n) { undeclared_yet_so_int += n; }

int count(n, more) { return n > 0 ? 1 + count(n - 1, more) : more; }

int main()
{
    struct pair p = {3, 4};
    int (*loose)() = count;
    int (*extra)(int, int) = (int (*)(int, int))nothing;

    printf("%d %d\n", wide('a', 1.5, (short)-7, p), later(4, 5));
    printf("%d %.2f\n", twice(21), half(3.0));
    printf("%d %d\n", loose(6, 100), extra(1, 2));
    ((int (*)(int))no_result)(8);
    ((void (*)(int, char *))no_result)(9, "ignored");
    printf("%d %d\n", undeclared_yet_so_int, another());
    return 0;
}

int twice(n) int n;
{
    return n * 2;
}

float half(x) float x;
{
    return x / 2;
}

later(a, b)
{
    return a * 10 + b;
}

another()
{
    return count(3, 3);
}

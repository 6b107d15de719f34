// A program without async, all of it converted, does what it did.
// flags: -ffermata-stress=3,1 -std=gnu99 -w
#include <stdio.h>
#include <stdlib.h>

struct big {
    long v[9];
};

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int add(int a, int b) { return a + b; }
static int mul(int a, int b) { return a * b; }
static int (*const table[2])(int, int) = {add, mul};

struct big make(int x)
{
    struct big b;

    for (int i = 0; i < 9; i++)
        b.v[i] = x * i;
    return b;
}

static long sum(struct big b)
{
    long s = 0;

    for (int i = 0; i < 9; i++)
        s += b.v[i];
    return s;
}

int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
int old_style();

int main(int argc, char **argv)
{
    int a[20];

    for (int i = 0; i < 20; i++)
        a[i] = i * 7919 % 101;
    qsort(a, 20, sizeof *a, compare); // called back by foreign code
    for (int i = 0; i < 20; i++)
        printf("%d ", a[i]);
    printf("\n%d %d %ld %d %d\n", table[argc & 1](3, 4), table[0](5, 6),
           sum(make(3)), factorial(10), old_style(3, 4));
    return 7;
}

int old_style(a, b) int a, b;
{
    return a * 10 + b;
}

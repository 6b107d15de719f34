// A million calls in tail position take no more stack than they took.
// flags: -ffermata-stress=13,4 -w
// only: O2 O3 Os
#include <stdio.h>

static int odd(int n, long *sum);
__attribute__((noinline)) static int even(int n, long *sum)
{
    *sum += n;
    return n == 0 ? 1 : odd(n - 1, sum);
}
__attribute__((noinline)) static int odd(int n, long *sum)
{
    *sum -= n;
    return n == 0 ? 0 : even(n - 1, sum);
}

static long count(long n, long got)
{
    return n ? count(n - 1, got + 1) : got;
}

typedef int step(int);
static step down;
static step *const next[] = {down};
__attribute__((noinline)) static int down(int n)
{
    return n ? next[0](n - 1) : 42;
}

int main(void)
{
    long sum = 0;

    printf("%d %d\n", even(1000000, &sum), odd(1000000, &sum));
    printf("%ld %ld %d\n", sum, count(1000000, 0), down(1000000));
    return 0;
}

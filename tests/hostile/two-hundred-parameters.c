// A function of 200 parameters carries them all across its suspension.
// plain
#include <fermata.h>
#include <stdio.h>

#define L10(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6)    \
    X(n##7) X(n##8) X(n##9)
#define L50(X) L10(X, 1) L10(X, 2) L10(X, 3) L10(X, 4) L10(X, 5)
#define PARAMETER(n) , int i##n, double d##n, char c##n, long l##n
#define ARGUMENT(n) , n, n * 0.5, (char)n, n * 1000L
#define SUM(n) s = s * 3 + (unsigned long)i##n + (unsigned long)(d##n * 2) + \
        (unsigned long)c##n + (unsigned long)l##n;

static async unsigned long
wide(unsigned long s L50(PARAMETER))
{
    await fm_yield();
    L50(SUM)
    await fm_yield();
    L50(SUM)
    return s;
}

async int
main(void)
{
    printf("%lx\n", await wide(await wide(1 L50(ARGUMENT)) L50(ARGUMENT)));
    return 0;
}

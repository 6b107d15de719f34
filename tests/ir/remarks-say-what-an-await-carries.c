// -Rpass=fermata says at each await what it carries, at a function its pins.
// only: O2
// flags: -Rpass=fermata
#include <fermata.h>
extern async long next(long);
extern async void fill(char *, int);

async long
sum(long n)
{
    long s = 0;
    for (long i = 0; i < n; i++)
        s += await next(i);
    return s;
}

async long
lend(int n)
{
    char text[200];
    await fill(text, n);
    return text[n];
}

async long
pass(long n)
{
    return await next(n + 1);
}

async long
either(long odd, async long (*f)(long))
{
    long r = odd ? await next(odd)
                 : await f(odd);
    return r * 2 + odd;
}

async long
large(void)
{
    char text[100000];
    await fill(text, 1);
    return text[1];
}

static async long
inlined(long n)
{
    long got = await next(n);
    return got + n;
}

async int
main(void)
{
    FM_TASK(long) task = fm_start(sum(3));
    long got = await inlined(3) + await fm_join(task);
    return (int)got;
}

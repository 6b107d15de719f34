// A loop carries what it still needs, a lent local is pinned, a tail call is not.
// dump: pin,frame,split
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

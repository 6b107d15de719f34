// A variadic async function is an error, where it is declared.
#include <fermata.h>
async int f(int n, ...);
async int g(int n, ...)
{
    return n;
}
async int h(void)
{
    return await f(1, 2) + await g(1, 2);
}

// const, pure, nothrow, leaf and malloc on async functions are dropped, said.
#include <fermata.h>
async int a(void) __attribute__((const));
async int b(int x) __attribute__((pure));
async void *c(int x) __attribute__((malloc));
async int d(int x) __attribute__((leaf));
async int e(int x) __attribute__((nothrow));
async __attribute__((nothrow)) int f(int x) { return await e(x); }
async int quiet(int x) { return x; }
async int calls(void)
{
    return await a() + await b(1) + (await c(1) != NULL) + await d(1) +
           await e(1) + await f(1) + await quiet(1);
}

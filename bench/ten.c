/* ten.c: s12, ten small functions; bytes of code, not time. */
#ifdef PLAIN
#define async
#define await
#else
#include <fermata.h>
#endif

async int ten_0(int v);
async int ten_1(int v);
async int ten_2(int v);
async int ten_3(int v);
async int ten_4(int v);
async int ten_5(int v);
async int ten_6(int v);
async int ten_7(int v);
async int ten_8(int v);
async int ten_9(int v);
#define NOINLINE __attribute__((noinline))

NOINLINE async int
ten_0(int v)
{
    return v + 1000;
}

NOINLINE async int
ten_1(int v)
{
    return await ten_0(v) + 1;
}

NOINLINE async int
ten_2(int v)
{
    return await ten_1(v) + v;
}

NOINLINE async int
ten_3(int v)
{
    return await ten_2(v + 1) * 3;
}

NOINLINE async int
ten_4(int v)
{
    return v < 0 ? -1 : await ten_3(v);
}

NOINLINE async int
ten_5(int v)
{
    return await ten_4(v) ^ v;
}

NOINLINE async int
ten_6(int v)
{
    return await ten_5(v) & 0xffff;
}

NOINLINE async int
ten_7(int v)
{
    return await ten_6(v - 1) - 1;
}

NOINLINE async int
ten_8(int v)
{
    return await ten_7(v) + 2 * v;
}

NOINLINE async int
ten_9(int v)
{
    return await ten_8(v) | 1;
}

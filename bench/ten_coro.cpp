// ten_coro.cpp: s12 in C++20 coroutines.
#include "coro.hpp"

#define NOINLINE __attribute__((noinline))
using coro::task;

NOINLINE task<int>
ten_0(int v)
{
    co_return v + 1000;
}

NOINLINE task<int>
ten_1(int v)
{
    co_return co_await ten_0(v) + 1;
}

NOINLINE task<int>
ten_2(int v)
{
    co_return co_await ten_1(v) + v;
}

NOINLINE task<int>
ten_3(int v)
{
    co_return co_await ten_2(v + 1) * 3;
}

NOINLINE task<int>
ten_4(int v)
{
    co_return v < 0 ? -1 : co_await ten_3(v);
}

NOINLINE task<int>
ten_5(int v)
{
    co_return co_await ten_4(v) ^ v;
}

NOINLINE task<int>
ten_6(int v)
{
    co_return co_await ten_5(v) & 0xffff;
}

NOINLINE task<int>
ten_7(int v)
{
    co_return co_await ten_6(v - 1) - 1;
}

NOINLINE task<int>
ten_8(int v)
{
    co_return co_await ten_7(v) + 2 * v;
}

NOINLINE task<int>
ten_9(int v)
{
    co_return co_await ten_8(v) | 1;
}

// coro.cpp: every scenario in C++20 coroutines (coro.hpp).
#include "coro.hpp"
#include "joins.h"
#include "waits.h"

#include <climits>

#define NOINLINE __attribute__((noinline))
#ifdef THROWING
#define FAIL() throw 5
#else
#define FAIL() co_return INT_MIN
#endif

using coro::task;

// ---- what completes at once ------------------------------------------------

static NOINLINE task<int>
leaf(int v)
{
    co_return v + 1000;
}

static NOINLINE task<int>
middle(int v)
{
    co_return co_await leaf(v) + 1;
}

static NOINLINE task<int>
outer(int v)
{
    co_return co_await middle(v) + 1;
}

static task<uint64_t>
chain_loop(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)co_await outer(input(i));
    co_return sum;
}

uint64_t
calls_chain(uint64_t n)
{
    return coro::wait(chain_loop(n));
}

uint64_t
calls_chain_root(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        task<int> t = outer(input(i));
        t.run();
        sum += (uint64_t)t.value();
    }
    return sum;
}

static task<int>
leaf_inline(int v)
{
    co_return v + 1000;
}

static task<int>
middle_inline(int v)
{
    co_return co_await leaf_inline(v) + 1;
}

static task<int>
outer_inline(int v)
{
    co_return co_await middle_inline(v) + 1;
}

static task<uint64_t>
inline_loop(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)co_await outer_inline(input(i));
    co_return sum;
}

uint64_t
calls_chain_inline(uint64_t n)
{
    return coro::wait(inline_loop(n));
}

static NOINLINE task<int>
fib(int n)
{
    if (n < 2)
        co_return n;
    co_return co_await fib(n - 1) + co_await fib(n - 2);
}

static task<uint64_t>
fib_loop(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        int depth = 25;
        __asm__ volatile("" : "+r"(depth));
        sum += (uint64_t)co_await fib(depth);
    }
    co_return sum;
}

uint64_t
calls_fib(uint64_t n)
{
    return coro::wait(fib_loop(n));
}

static NOINLINE task<int>
lend_leaf(char *buf, int *out, int v)
{
    int at = v & 255;
    buf[at] = (char)v;
    *out = v + 1000;
    co_return at;
}

static NOINLINE task<int>
lend_inner(char *buf, int *out, int v)
{
    char mine[256];
    int got;
    int at = co_await lend_leaf(mine, &got, v);
    buf[at] = mine[at];
    *out = got + 1;
    co_return at;
}

static NOINLINE task<int>
lend_middle(char *buf, int *out, int v)
{
    char mine[256];
    int got;
    int at = co_await lend_inner(mine, &got, v);
    buf[at] = mine[at];
    *out = got + 1;
    co_return at;
}

static NOINLINE task<int>
lend_outer(int v)
{
    char mine[256];
    int got;
    int at = co_await lend_middle(mine, &got, v);
    co_return mine[at] == (char)v ? got : 0;
}

static task<uint64_t>
lend_loop(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)co_await lend_outer(input(i));
    co_return sum;
}

uint64_t
calls_lend(uint64_t n)
{
    return coro::wait(lend_loop(n));
}

// ---- what suspends -----------------------------------------------------------

static coro::gate door;

static NOINLINE task<int>
gate_leaf(int v)
{
    co_await door;
    co_return v + 1000;
}

static NOINLINE task<int>
gate_middle(int v)
{
    co_return co_await gate_leaf(v) + 1;
}

static NOINLINE task<int>
gate_outer(int v)
{
    co_return co_await gate_middle(v) + 1;
}

static task<uint64_t>
gate_loop(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)co_await gate_outer(input(i));
    co_return sum;
}

uint64_t
waits_gate(uint64_t n)
{
    task<uint64_t> t = gate_loop(n);
    t.run();
    while (!t.done())
        door.open();
    return t.value();
}

uint64_t
waits_gate_root(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        task<int> t = gate_outer(input(i));
        t.run();
        door.open();
        sum += (uint64_t)t.value();
    }
    return sum;
}

static NOINLINE task<int>
yield_inner(int v)
{
    co_await coro::yield();
    co_return v;
}

static NOINLINE task<int>
yield_outer(int v)
{
    co_return co_await yield_inner(v) + 1;
}

static task<uint64_t>
yield_loop(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)co_await yield_outer(input(i));
    co_return sum;
}

uint64_t
waits_yield(uint64_t n)
{
    return coro::wait(yield_loop(n));
}

uint64_t
waits_yield_root(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)coro::wait(yield_outer(input(i)));
    return sum;
}

// A level passes what its callee gave; one that may fail as a value, which
// is INT_MIN, has to look at it.
static NOINLINE task<int>
deep(int levels, int v)
{
    if (levels > 1)
        co_return 1 - co_await deep(levels - 1, v);
    co_await coro::yield();
    co_return v;
}

static NOINLINE task<int>
deep_failing(int levels, int v, bool fail)
{
    if (levels > 1) {
        int r = co_await deep_failing(levels - 1, v, fail);
        co_return r == INT_MIN ? r : 1 - r;
    }
    co_await coro::yield();
    if (fail)
        FAIL();
    co_return v;
}

static task<uint64_t>
ok_loop(uint64_t n, int levels)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)co_await deep(levels, input(i));
    co_return sum;
}

static task<uint64_t>
fail_loop(uint64_t n, int levels)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
#ifdef THROWING
        try {
            sum += (uint64_t)co_await deep_failing(levels, input(i), true);
        } catch (int) {
            sum++;
        }
#else
        int r = co_await deep_failing(levels, input(i), true);
        sum += r == INT_MIN;
#endif
    }
    co_return sum;
}

uint64_t
waits_ok_1(uint64_t n)
{
    return coro::wait(ok_loop(n, 1));
}

uint64_t
waits_ok(uint64_t n)
{
    return coro::wait(ok_loop(n, DEPTH));
}

uint64_t
waits_fail_1(uint64_t n)
{
    return coro::wait(fail_loop(n, 1));
}

uint64_t
waits_fail(uint64_t n)
{
    return coro::wait(fail_loop(n, DEPTH));
}

static NOINLINE task<uint64_t>
spin(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        co_await coro::yield();
    co_return n;
}

static NOINLINE task<uint64_t>
spin_below(uint64_t n, int levels)
{
    if (levels > 1)
        co_return 1 - co_await spin_below(n, levels - 1);
    co_return co_await spin(n);
}

uint64_t
waits_spin_one(uint64_t n)
{
    return coro::wait(spin(n));
}

uint64_t
waits_spin_two(uint64_t n)
{
    task<uint64_t> a = spin(n / 2), b = spin(n - n / 2);
    a.run();
    b.run();
    coro::ready.run();
    return a.value() + b.value();
}

uint64_t
waits_spin_deep(uint64_t n)
{
    return coro::wait(spin_below(n, DEPTH));
}

int
main(int argc, char **argv)
{
    static const scenario table[] = {
        CALLS_SCENARIOS,
        WAITS_SCENARIOS,
        JOINS_SCENARIOS,
    };
    return measure_main(argc, argv, table, sizeof table / sizeof *table);
}

/* calls.c: what completes at once, in plain C and in Fermata.
 *
 * s1 a chain of three, kept out of line; s1root the same, each chain a root
 * of its own; s1inline the same where LLVM may inline; s6 recursive fib; s14
 * three layers of which each lends a buffer and an out parameter to the next.
 */
#include "async.h"
#include "calls.h"

static NOINLINE async int
leaf(int v)
{
    return v + 1000;
}

static NOINLINE async int
middle(int v)
{
    return await leaf(v) + 1;
}

static NOINLINE async int
outer(int v)
{
    return await middle(v) + 1;
}

static async uint64_t
chain_loop(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)await outer(input(i));
    return sum;
}

uint64_t
calls_chain(uint64_t n)
{
    return fm_wait(chain_loop(n));
}

uint64_t
calls_chain_root(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
#ifdef PLAIN
        sum += (uint64_t)outer(input(i));
#else
        int r = 0;
        if (fm_begin(&r, outer(input(i))))
            return 0;
        sum += (uint64_t)r;
#endif
    }
    return sum;
}

static async int
leaf_inline(int v)
{
    return v + 1000;
}

static async int
middle_inline(int v)
{
    return await leaf_inline(v) + 1;
}

static async int
outer_inline(int v)
{
    return await middle_inline(v) + 1;
}

static async uint64_t
inline_loop(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)await outer_inline(input(i));
    return sum;
}

uint64_t
calls_chain_inline(uint64_t n)
{
    return fm_wait(inline_loop(n));
}

static NOINLINE async int
fib(int n)
{
    if (n < 2)
        return n;
    return await fib(n - 1) + await fib(n - 2);
}

static async uint64_t
fib_loop(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        int depth = 25;
        __asm__ volatile("" : "+r"(depth));
        sum += (uint64_t)await fib(depth);
    }
    return sum;
}

uint64_t
calls_fib(uint64_t n)
{
    return fm_wait(fib_loop(n));
}

static NOINLINE async int
lend_leaf(char *buf, int *out, int v)
{
    int at = v & 255;
    buf[at] = (char)v;
    *out = v + 1000;
    return at;
}

static NOINLINE async int
lend_inner(char *buf, int *out, int v)
{
    char mine[256];
    int got;
    int at = await lend_leaf(mine, &got, v);
    buf[at] = mine[at];
    *out = got + 1;
    return at;
}

static NOINLINE async int
lend_middle(char *buf, int *out, int v)
{
    char mine[256];
    int got;
    int at = await lend_inner(mine, &got, v);
    buf[at] = mine[at];
    *out = got + 1;
    return at;
}

static NOINLINE async int
lend_outer(int v)
{
    char mine[256];
    int got;
    int at = await lend_middle(mine, &got, v);
    return mine[at] == (char)v ? got : 0;
}

static async uint64_t
lend_loop(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)await lend_outer(input(i));
    return sum;
}

uint64_t
calls_lend(uint64_t n)
{
    return fm_wait(lend_loop(n));
}

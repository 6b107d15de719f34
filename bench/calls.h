/* calls.h: the scenarios that complete at once, and the sums to expect. */
#ifndef BENCH_CALLS_H
#define BENCH_CALLS_H

#include "measure.h"

#ifdef __cplusplus
extern "C" {
#endif

#define FIB_25 75025
#define FIB_25_CALLS 242785 /* activations of fib in fib(25) */

uint64_t calls_chain(uint64_t n);
uint64_t calls_chain_root(uint64_t n);
uint64_t calls_chain_inline(uint64_t n);
uint64_t calls_fib(uint64_t n);
uint64_t calls_lend(uint64_t n);

/* leaf + 1000, and 1 for each of two layers above it. */
static inline uint64_t
expect_chain(uint64_t n)
{
    return input_sum(n) + 1002 * n;
}

static inline uint64_t
expect_fib(uint64_t n)
{
    return FIB_25 * n;
}

#define CALLS_SCENARIOS                                                      \
    {"s1", calls_chain, expect_chain, 1},                                    \
        {"s1root", calls_chain_root, expect_chain, 1},                       \
        {"s1inline", calls_chain_inline, expect_chain, 1},                   \
        {"s6", calls_fib, expect_fib, FIB_25_CALLS},                         \
    {                                                                        \
        "s14", calls_lend, expect_chain, 1                                   \
    }

#ifdef __cplusplus
}
#endif
#endif

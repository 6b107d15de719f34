/* waits.h: the scenarios that suspend, and the sums to expect. */
#ifndef BENCH_WAITS_H
#define BENCH_WAITS_H

#include "calls.h"

/* s2: a chain of three waits for a gate, which is then opened.
 * s3: two layers, the inner yields once.
 * s4: recursion, the leaf yields, then succeeds or fails.
 * s5: yields, one task alone, two in turn, one under 30 awaits. */
enum { DEPTH = 30 };

static inline uint64_t
expect_inner(uint64_t n)
{
    return input_sum(n) + n;
}

static inline uint64_t
expect_flat(uint64_t n)
{
    return input_sum(n);
}

static inline uint64_t
expect_deep(uint64_t n)
{
    return n - input_sum(n); /* an odd number of levels makes 1 - v */
}

static inline uint64_t
expect_count(uint64_t n)
{
    return n;
}

static inline uint64_t
expect_below(uint64_t n)
{
    return 1 - n;
}

#ifdef __cplusplus
extern "C" {
#endif
uint64_t waits_gate(uint64_t n);
uint64_t waits_gate_root(uint64_t n);
uint64_t waits_yield(uint64_t n);
uint64_t waits_yield_root(uint64_t n);
uint64_t waits_ok_1(uint64_t n);
uint64_t waits_ok(uint64_t n);
uint64_t waits_fail_1(uint64_t n);
uint64_t waits_fail(uint64_t n);
uint64_t waits_spin_one(uint64_t n);
uint64_t waits_spin_two(uint64_t n);
uint64_t waits_spin_deep(uint64_t n);
#ifdef __cplusplus
}
#endif

#define WAITS_SCENARIOS                                                      \
    {"s2", waits_gate, expect_chain, 1},                                     \
        {"s2root", waits_gate_root, expect_chain, 1},                        \
        {"s3", waits_yield, expect_inner, 1},                                \
        {"s3root", waits_yield_root, expect_inner, 1},                       \
        {"s4ok1", waits_ok_1, expect_flat, 1},                               \
        {"s4ok30", waits_ok, expect_deep, 1},                                \
        {"s4fail1", waits_fail_1, expect_count, 1},                          \
        {"s4fail30", waits_fail, expect_count, 1},                           \
        {"s5one", waits_spin_one, expect_count, 1},                          \
        {"s5two", waits_spin_two, expect_count, 1},                          \
    {                                                                        \
        "s5deep", waits_spin_deep, expect_below, 1                           \
    }

#endif

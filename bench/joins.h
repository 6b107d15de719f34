/* joins.h: the scenarios of many tasks on one thread, and their sums.
 *
 * s7once:  BATCH tasks are started, then joined; each is done at once.
 * s7yield: the same, each yields once.
 * s9:      two tasks send each other a value over channels of one place. */
#ifndef BENCH_JOINS_H
#define BENCH_JOINS_H

#include "measure.h"

enum { BATCH = 16 };

#ifdef __cplusplus
extern "C" {
#endif
uint64_t joins_once(uint64_t n);
uint64_t joins_yield(uint64_t n);
uint64_t joins_ping(uint64_t n);
#ifdef __cplusplus
}
#endif

/* An operation is a batch; each task gives its input, and one more. */
static inline uint64_t
expect_batches(uint64_t n)
{
    return input_sum(n * BATCH) + n * BATCH;
}

static inline uint64_t
expect_ping(uint64_t n)
{
    return input_sum(n) + n;
}

#define JOINS_SCENARIOS                                                      \
    {"s7once", joins_once, expect_batches, BATCH},                           \
        {"s7yield", joins_yield, expect_batches, BATCH},                     \
    {                                                                        \
        "s9", joins_ping, expect_ping, 1                                     \
    }

#endif

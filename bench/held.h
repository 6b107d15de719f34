/* held.h: s8, what a suspended task costs in resident memory.
 *
 * Each task is three functions deep with four 64-bit locals a level, all of
 * them still needed after the wait. What the scenario itself needs for each
 * task lies in arrays that are touched before.
 */
#ifndef BENCH_HELD_H
#define BENCH_HELD_H

#include "measure.h"

/* Takes N tasks from the command line; prints bytes a task and checks the
 * sum of the results. start makes task i wait for slot[i]; finish opens it
 * and returns its result. */
struct held {
    void (*start)(uint64_t i);
    uint64_t (*finish)(uint64_t i);
};
#ifdef __cplusplus
extern "C"
#endif
    int
    held_main(int argc, char **argv, const struct held *peer,
              void **arrays[2]);

/* The functions may be inlined, as the static functions of a program are; or
 * with APART defined they may not, so that there are three records. */
#ifdef APART
#define LEVEL static __attribute__((noinline))
#else
#define LEVEL static
#endif

/* Level k's four locals come from v by these; the sum is returned. */
#define HELD_LOCALS(v)                                                       \
    int64_t a = (v) * 3, b = (v) ^ 0x55, c = (v) + 77, d = (v) * (v);        \
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d))

#endif

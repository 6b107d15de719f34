/* measure.h: one scenario of one peer, timed in a process of its own.
 *
 * A peer is a program with a table of scenarios. bench/figures runs it once
 * for each scenario and round; the program calibrates, takes samples, checks
 * every checksum after its clock has stopped, and prints them. Everything is
 * the same for C and C++.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* run does the operation n times and returns the sum of the results; expect
 * says what that sum must be. unit is how many calls, yields or levels one
 * operation counts for: times are given for one of them. */
struct scenario {
    const char *name;
    uint64_t (*run)(uint64_t n);
    uint64_t (*expect)(uint64_t n);
    uint64_t unit;
};

/* PROGRAM NAME MS SAMPLES   samples of about MS milliseconds
 * PROGRAM NAME =N           n operations once, for an instruction count */
int measure_main(int argc, char **argv, const struct scenario *table,
                 size_t n);

/* What malloc was asked for by the whole process so far. */
struct heap_use {
    uint64_t calls;
    uint64_t bytes;
};
struct heap_use heap_use(void);
size_t resident_bytes(void);
/* Prints one figure that is no sample, for the report. */
void measure_note(const char *name, double value);

/* The i-th input of an operation, hidden from the optimiser. */
static inline int
input(uint64_t i)
{
    int v = (int)(i & 1023);
    __asm__ volatile("" : "+r"(v));
    return v;
}

/* The sum of the first n inputs. */
static inline uint64_t
input_sum(uint64_t n)
{
    uint64_t rest = n & 1023;
    return (n >> 10) * (1023 * 1024 / 2) + rest * (rest - (rest > 0)) / 2;
}

#ifdef __cplusplus
}
#endif
#endif

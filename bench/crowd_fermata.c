/* crowd_fermata.c: s10 in Fermata: small tasks, started on the pool by one of
 * its tasks. Prints the time from the first start to the last end, for each.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <fermata.h>

enum { SAMPLES = 5 };

static _Atomic uint64_t sum;
static _Atomic uint64_t left;
static FM_SOURCE(int) over;

static async void
small(uint64_t v)
{
    atomic_fetch_add_explicit(&sum, v, memory_order_relaxed);
    if (atomic_fetch_sub(&left, 1) == 1)
        fm_source_set(over, 0);
}

static async void
crowd(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        fm_release(fm_start_on(fm_pool(), small(i)));
}

int
main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;

    for (int k = 0; k < SAMPLES; k++) {
        int64_t began = fm_now();
        sum = 0;
        left = n;
        over = fm_source_new(int);
        FM_TASK(int) end = fm_source_task(over);
        FM_TASK(void) all = fm_start_on(fm_pool(), crowd(n));
        fm_wait_task(end);
        fm_wait_task(all);
        fm_release(all);
        fm_release(end);
        fm_source_release(over);
        if (sum != n * (n - 1) / 2)
            return 1;
        printf("sample %.4g\n", (double)(fm_now() - began) / (double)n);
    }
    return 0;
}

/* tasks_openmp.c: s10 by gcc's OpenMP tasks: a million that end at once. Past
 * 64 queued a thread libgomp runs a new one in its creator. */
#include "tasks.h"

enum { BATCH = 1000 };

static __attribute__((noinline)) int
small(int i)
{
    return i & 3;
}

static long
batch(void)
{
    static int result[BATCH];
    long sum = 0;

    for (int i = 0; i < BATCH; i++) {
#pragma omp task shared(result) firstprivate(i)
        result[i] = small(i);
    }
#pragma omp taskwait
    for (int i = 0; i < BATCH; i++)
        sum += result[i];
    return sum;
}

int
main(void)
{
    struct best best = {.name = "OpenMP (gcc), at once"};
    long sum = 0;

    for (int r = 0; r < ROUNDS; r++) {
        round_begin(&best);
#pragma omp parallel
#pragma omp single
        for (int i = 0; i < TASKS / BATCH; i++)
            sum += batch();
        round_end(&best);
    }
    best_print(&best);
    return sum == 0;
}

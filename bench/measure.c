/* measure.c: the clock, the samples, and every malloc of the process.
 *
 * The clock is the processor time of the whole process, so that another
 * program that takes the processor away is not counted; helper threads of a
 * runtime are. malloc and its kin are replaced by counting ones over glibc's
 * own.
 */
#include "measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static struct heap_use heap;

static void
count(size_t bytes)
{
    __atomic_fetch_add(&heap.calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&heap.bytes, bytes, __ATOMIC_RELAXED);
}

/* Counting costs two locked additions, about as much as malloc itself, and
 * so would flatter us: it is off while a sample is timed. */
static int counting;

void *
malloc(size_t n)
{
    if (__builtin_expect(counting, 0))
        count(n);
    return __libc_malloc(n);
}

void *
calloc(size_t n, size_t size)
{
    if (__builtin_expect(counting, 0))
        count(n * size);
    return __libc_calloc(n, size);
}

void *
realloc(void *p, size_t n)
{
    if (__builtin_expect(counting, 0))
        count(n);
    return __libc_realloc(p, n);
}

void *
aligned_alloc(size_t align, size_t n)
{
    if (__builtin_expect(counting, 0))
        count(n);
    return __libc_memalign(align, n);
}

int
posix_memalign(void **out, size_t align, size_t n)
{
    void *p = aligned_alloc(align, n);
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

void
free(void *p)
{
    __libc_free(p);
}

struct heap_use
heap_use(void)
{
    return heap;
}

size_t
resident_bytes(void)
{
    unsigned long size, pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%lu %lu", &size, &pages) != 2)
        abort();
    fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static double
cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

void
measure_note(const char *name, double value)
{
    printf("%s %.6g\n", name, value);
}

/* One sample of n operations: nanoseconds. A wrong sum has no time. */
static double
sample(const struct scenario *s, uint64_t n)
{
    double start = cpu_ns();
    uint64_t sum = s->run(n);
    double ns = cpu_ns() - start;
    if (sum != s->expect(n)) {
        fprintf(stderr, "%s: %llu operations gave %llu, expected %llu\n",
                s->name, (unsigned long long)n, (unsigned long long)sum,
                (unsigned long long)s->expect(n));
        exit(1);
    }
    return ns;
}

/* How many operations take about ms; the way there is the warm-up. */
static uint64_t
calibrate(const struct scenario *s, double ms)
{
    uint64_t n = 1;
    for (;;) {
        double ns = sample(s, n);
        if (ns >= ms * 1e6 || n > UINT64_C(1) << 40)
            return n;
        double factor = ns < 1000 ? 16 : ms * 1.1e6 / ns;
        if (factor > 16)
            factor = 16;
        n = (uint64_t)((double)n * (factor < 1.2 ? 1.2 : factor)) + 1;
    }
}

static void
count_heap(const struct scenario *s, uint64_t n)
{
    struct heap_use before = heap;
    counting = 1;
    sample(s, n);
    counting = 0;
    double ops = (double)n * (double)s->unit;
    measure_note("allocations", (double)(heap.calls - before.calls) / ops);
    measure_note("bytes", (double)(heap.bytes - before.bytes) / ops);
}

int
measure_main(int argc, char **argv, const struct scenario *table, size_t n)
{
    const struct scenario *s = NULL;
    for (size_t i = 0; argc > 2 && i < n; i++)
        if (!strcmp(table[i].name, argv[1]))
            s = &table[i];
    if (!s) {
        fprintf(stderr, "usage: %s SCENARIO MS SAMPLES | SCENARIO =N\n",
                argv[0]);
        return 2;
    }
    if (argv[2][0] == '=') {
        sample(s, strtoull(argv[2] + 1, NULL, 10));
        return 0;
    }
    double ms = strtod(argv[2], NULL);
    int samples = argc > 3 ? atoi(argv[3]) : 7;
    uint64_t ops = calibrate(s, ms);
    for (int i = 0; i < samples; i++)
        printf("sample %.5f\n",
               sample(s, ops) / ((double)ops * (double)s->unit));
    count_heap(s, ops);
    return 0;
}

// A million awaits that complete at once ask neither malloc nor the system for
// memory; what a suspension took is used by the next one.
// flags: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc
// only: O0 O1 O2 O3 Os
#include "ok.h"
#include <fermata.h>
#include <fermata/trace.h>

static long calls;
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_aligned_alloc(size_t, size_t);
void *
__wrap_malloc(size_t n)
{
    calls++;
    return __real_malloc(n);
}
void *
__wrap_calloc(size_t k, size_t n)
{
    calls++;
    return __real_calloc(k, n);
}
void *
__wrap_realloc(void *p, size_t n)
{
    calls++;
    return __real_realloc(p, n);
}
void *
__wrap_aligned_alloc(size_t align, size_t n)
{
    calls++;
    return __real_aligned_alloc(align, n);
}

__attribute__((noinline)) static async long
add(long a, long b, bool waits)
{
    if (waits)
        await fm_yield();
    return a + b;
}
__attribute__((noinline)) static async long
lends(long *n, bool waits)
{
    return *n = await add(*n, 1, waits);
}
static async long
sum(long n, bool waits)
{
    long s = 0, lent = 0;
    for (long i = 0; i < n; i++) {
        s = await add(s, i, waits);
        await lends(&lent, waits);
    }
    return s + lent;
}

async int
main(void)
{
    struct fm_stats before, after;
    for (int waits = 0; waits < 2; waits++) {
        long n = waits ? 1000 : 1000000;
        await sum(10, waits); /* the first ones fill the free lists */
        long had = calls;
        fm_stats(&before);
        OK(await sum(n, waits) == n * (n - 1) / 2 + n);
        fm_stats(&after);
        OK(calls == had);
        OK(after.bytes == before.bytes);
    }
    return 0;
}

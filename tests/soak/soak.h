/* soak.h: how much a soak program does, and whether its memory stays flat. */
#ifndef SOAK_H
#define SOAK_H
#include "../rt/ok.h"
#include <unistd.h>

/* The environment's number, or that of the short form. */
static inline long
amount(const char *variable, long usual)
{
    const char *text = getenv(variable);
    return text && atol(text) > 0 ? atol(text) : usual;
}

static inline long
resident_kib(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    OK(f && fscanf(f, "%*d %ld", &pages) == 1);
    fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static inline long
open_descriptors(void)
{
    int fd = dup(0);
    close(fd);
    return fd; /* the lowest free one */
}

/* After as much work again there must not be more of it, but for noise. The
 * sanitizers keep what was freed. */
static inline void
flat(long before_kib, long after_kib)
{
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    (void)before_kib;
    (void)after_kib;
    return;
#endif
    if (after_kib > before_kib + before_kib / 8 + 2048) {
        fprintf(stderr, "memory grew from %ld to %ld KiB\n", before_kib,
                after_kib);
        exit(1);
    }
}
#endif

/* tasks.h: how s10 is measured: the best of some rounds, processor time and
 * wall time, in ns a task. */
#ifndef TASKS_H
#define TASKS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

enum { TASKS = 1000000, ROUNDS = 5 };

struct best {
    const char *name;
    double cpu, wall;     /* ns a task; 0 = none yet */
    double cpu_from, wall_from;
};

static inline double
processor_time(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3;
}

static inline double
wall_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void
round_begin(struct best *b)
{
    b->cpu_from = processor_time();
    b->wall_from = wall_time();
}

static inline void
round_end(struct best *b)
{
    double cpu = (processor_time() - b->cpu_from) / (double)TASKS;
    double wall = (wall_time() - b->wall_from) / (double)TASKS;
    if (b->cpu == 0 || cpu < b->cpu)
        b->cpu = cpu;
    if (b->wall == 0 || wall < b->wall)
        b->wall = wall;
}

static inline void
best_print(const struct best *b)
{
    printf("%-24s %6.1f ns cpu %6.1f ns wall a task\n", b->name, b->cpu,
           b->wall);
}

#endif

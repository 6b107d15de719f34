/* trace.h: looking inside a running program: counts, and what every task waits
 * for. From any thread, while others go on.
 */
#ifndef FERMATA_TRACE_H
#define FERMATA_TRACE_H

#include <fermata.h>
#include <stdio.h>
#pragma clang system_header

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define FM__STATS_LANES 3 /* fm_blocking, files, names */
/* Each figure is right by itself; while others go on they are not of one
 * moment. */
struct fm_stats {
    size_t tasks;        /* that have not ended */
    size_t suspended;    /* of these: wait, but for what fm_dump cannot see */
    size_t held;         /* tasks that have ended, and are held by handles */
    size_t bytes;        /* from the system, for tasks and suspended frames */
    unsigned workers;    /* of the pool: threads begun */
    unsigned parked;     /* of these: asleep */
    size_t queued;       /* jobs of the pool that no worker has taken yet */
    uint64_t jobs;       /* that its workers have begun */
    uint64_t steals;     /* jobs that one worker took from another */
    uint64_t parks;      /* times that a worker had nothing to do */
    size_t calls_queued[FM__STATS_LANES]; /* calls that block: wait */
    size_t calls_running[FM__STATS_LANES]; /* ... and run */
};
void fm_stats(struct fm_stats *s) FM__NOTHROW;

/* Every task that has not ended: its name, where it belongs, what it awaits,
 * and its async stack, innermost frame first. A task that runs, or is queued on
 * another thread, has no stack to be shown; nor, to a dump on another thread,
 * one whose bare fm_suspend began before the process had a second thread. It
 * stops nobody, and takes no lock that is held while tasks run. */
void fm_dump(FILE *out) FM__NOTHROW;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

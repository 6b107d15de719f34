/* ground.h: the runtime's records, and what scenarios are made of. */
#ifndef GROUND_H
#define GROUND_H

#include "explore.h"

#include <runtime/entry.h>

struct queue {
    fm_job *first, **last;
};
extern struct queue queues[THREADS_MAX];

/* At the start of a setup. Shared: one queue for all, as on the pool. */
void ground_reset(bool shared);
/* The running thread is that of executor i. */
void ground_on(unsigned i);
/* Runs the jobs of the thread's executor until there will be none. */
void ground_drive(void);

#endif

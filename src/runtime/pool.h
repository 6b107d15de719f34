/* pool.h: what the other files of the runtime ask of the pool. */
#ifndef FM_POOL_H
#define FM_POOL_H

#include "runtime/rt.h"

/* A call that is to begin on ex may as well run where it is: ex is the pool,
 * this is a worker of it, and its deque is full. */
bool fm__pool_runs_here(fm_executor *ex);
/* Differs if workers left their parking for work in between. */
uint32_t fm__pool_epoch(void);
/* Ends the workers; those that have not by then are left. */
void fm__pool_stop(int64_t deadline);
void fm__pool_after_fork(void);
struct fm_stats;
void fm__pool_stats(struct fm_stats *s);

#endif

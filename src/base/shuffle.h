/* shuffle.h: in check builds, orders that nobody promised are made other
 * ones: FERMATA_SHUFFLE=seed, deterministic for a thread. Else all of this is
 * nothing. */
#ifndef FM_BASE_SHUFFLE_H
#define FM_BASE_SHUFFLE_H

#include <stdint.h>

struct fm_job;

#ifdef FM_CHECK
/* Less than n; without a seed: 0. */
uint32_t fm__shuffle(uint32_t n);
struct fm_job *fm__shuffle_jobs(struct fm_job *first);
#else
static inline uint32_t
fm__shuffle(uint32_t n)
{
    (void)n;
    return 0;
}

static inline struct fm_job *
fm__shuffle_jobs(struct fm_job *first)
{
    return first;
}
#endif

#endif

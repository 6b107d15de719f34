/* go.h: what an operation looks at first, in a few instructions. */
#ifndef FM_SYNC_GO_H
#define FM_SYNC_GO_H

#include <base/atomic.h>
#include <base/check.h>
#include <fermata.h>

extern _Thread_local struct fm_here fm_abi_here
    __attribute__((tls_model("initial-exec")));
extern char fm_abi_no_task[];

static inline struct fm_root *
fm__root_here(void)
{
    return (struct fm_root *)(void *)fm_abi_here.leaf;
}

static inline unsigned
fm__flags_here(void)
{
    const unsigned char *task = fm__root_here()->task;

    return __atomic_load_n(task + FM_ABI_TASK_FLAGS, __ATOMIC_RELAXED);
}

/* In an async function: nothing is pending, no ambient list is there, the
 * budget is not used up, and the process has one thread. True for most; then
 * fm__go_on counts what is done. Else fm_abi_may_go has to be asked. */
static inline bool
fm__goes_alone(void)
{
    const struct fm_here *here = &fm_abi_here;

    return likely(fm__alone()) && likely(!here->context) &&
           likely(here->budget > 1) &&
           likely(!(fm__flags_here() & FM_ABI_TASK_CANCEL));
}

static inline void
fm__go_on(void)
{
    fm_abi_here.budget--;
}

#endif

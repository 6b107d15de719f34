/* fork.c: a fork finds nobody inside the runtime.
 *
 * The child has only the thread that forked. What another one held then it
 * would hold for ever, over data that are half changed: so the fork waits for
 * the runtime's locks and takes them, and both processes give them back. */
#include "runtime/rt.h"
#include "runtime/slab.h"

struct lock fm__locks[LOCKS];

static void
before(void)
{
    for (int i = 0; i < LOCKS; i++)
        lock_take(&fm__locks[i]);
    fm__slabs_lock();
}

static void
after(void)
{
    fm__slabs_unlock();
    for (int i = LOCKS; i-- > 0;)
        lock_give(&fm__locks[i]);
}

__attribute__((constructor)) static void
tell_me_of_forks(void)
{
    fm__sys_around_fork(before, after, after);
}

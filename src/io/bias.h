/* bias.h: a lock that costs its usual thread no atomic instruction.
 *
 * A descriptor is nearly always used by the thread of one loop. The first
 * loop that takes the lock owns it from then on and enters by two plain
 * stores; the first other thread that comes revokes that for good, and from
 * then on it is a mutex. (Dice, Huang and Yang, "Asymmetric Dekker
 * synchronization"; the slow side's fence is membarrier.)
 */
#ifndef FM_IO_BIAS_H
#define FM_IO_BIAS_H

#include <io/loop.h>

struct fm__bias {
    /* The owner; null = not yet used; FM__BIAS_SHARED = a mutex now. Written
     * under the mutex. */
    _Atomic(struct fm__loop *) owner;
    atomic_bool inside; /* the owner holds it; written by the owner */
    pthread_mutex_t *mutex;
};

#define FM__BIAS_SHARED ((struct fm__loop *)(void *)1)

/* Once in the life of the memory; then once for each new use of it, when no
 * other thread knows it. */
void fm__bias_init(struct fm__bias *b, pthread_mutex_t *mutex);
void fm__bias_forget(struct fm__bias *b);
bool fm__bias_lock_slow(struct fm__bias *b);

/* The owner's way in: false if it is not that easy. */
static inline bool
fm__bias_enter(struct fm__bias *b)
{
    struct fm__loop *me = fm__here;
    if (!me || atomic_load_explicit(&b->owner, memory_order_relaxed) != me)
        return false;
    atomic_store_explicit(&b->inside, true, memory_order_relaxed);
    /* The other side of this fence is membarrier in end_bias: either we see
     * that the owner changed or the revoker sees us inside. */
    atomic_signal_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&b->owner, memory_order_relaxed) == me)
        return true;
    atomic_store_explicit(&b->inside, false, memory_order_release);
    return false;
}

/* Returns what unlock wants to be told. Not recursive. */
static inline bool
fm__bias_lock(struct fm__bias *b)
{
    return fm__bias_enter(b) || fm__bias_lock_slow(b);
}

static inline void
fm__bias_unlock(struct fm__bias *b, bool biased)
{
    if (biased) /* release: pairs with the acquire in end_bias */
        atomic_store_explicit(&b->inside, false, memory_order_release);
    else
        pthread_mutex_unlock(b->mutex);
}

#endif

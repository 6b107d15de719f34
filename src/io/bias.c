/* bias.c: the slow half of the biased lock: the first use, and revoking. */
#include <io/bias.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool can_bias;

static void
ask_kernel(void)
{
    can_bias = !syscall(SYS_membarrier,
                        MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

void
fm__bias_init(struct fm__bias *b, pthread_mutex_t *mutex)
{
    pthread_once(&once, ask_kernel);
    pthread_mutex_init(mutex, NULL);
    b->mutex = mutex;
    atomic_init(&b->inside, false);
    fm__bias_forget(b);
}

void
fm__bias_forget(struct fm__bias *b)
{
    atomic_store_explicit(&b->owner, can_bias ? NULL : FM__BIAS_SHARED,
                          memory_order_relaxed);
}

/* With the mutex held: after it the owner enters by the mutex like all. */
static void
end_bias(struct fm__bias *b)
{
    atomic_store(&b->owner, FM__BIAS_SHARED);
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    /* acquire: pairs with the release in unlock. The owner holds it for one
     * system call that does not block. */
    while (atomic_load_explicit(&b->inside, memory_order_acquire))
        sched_yield();
}

bool
fm__bias_lock_slow(struct fm__bias *b)
{
    struct fm__loop *me = fm__here;
    pthread_mutex_lock(b->mutex);
    struct fm__loop *owner =
        atomic_load_explicit(&b->owner, memory_order_relaxed);
    if (!owner && me) {
        atomic_store_explicit(&b->inside, true, memory_order_relaxed);
        atomic_store_explicit(&b->owner, me, memory_order_relaxed);
        pthread_mutex_unlock(b->mutex);
        return true;
    }
    if (owner != FM__BIAS_SHARED)
        end_bias(b);
    return false;
}

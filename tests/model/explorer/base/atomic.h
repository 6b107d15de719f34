/* atomic.h: stands in the place of src/base/atomic.h when the real runtime is
 * compiled for the explorer: each operation is a step, before which any other
 * thread may run. Sequentially consistent: what weaker orders allow is
 * ThreadSanitizer's to find. */
#ifndef FM_BASE_ATOMIC_H
#define FM_BASE_ATOMIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The calling thread is about to touch `at`; returns when it is its turn. */
void model_step(const volatile void *at, bool writes);
/* The same, not before *at is 0. */
void model_lock(const volatile void *at);

#define FM_STEP(p, writes, does)                                             \
    ({                                                                       \
        __auto_type p_ = (p);                                                \
        model_step((const volatile void *)p_, (writes));                     \
        does;                                                                \
    })
#define fm__load(p) FM_STEP(p, false, __c11_atomic_load(p_, 5))
#define fm__load_acquire(p) fm__load(p)
#define fm__store(p, v) FM_STEP(p, true, __c11_atomic_store(p_, (v), 5))
#define fm__store_release(p, v) fm__store(p, v)
#define fm__add(p, n) FM_STEP(p, true, __c11_atomic_fetch_add(p_, (n), 5))
#define fm__sub(p, n) FM_STEP(p, true, __c11_atomic_fetch_sub(p_, (n), 5))
#define fm__or(p, bits)                                                      \
    FM_STEP(p, true, __c11_atomic_fetch_or(p_, (uint8_t)(bits), 5))
#define fm__clear(p, bits)                                                   \
    FM_STEP(p, true, __c11_atomic_fetch_and(p_, (uint8_t) ~(bits), 5))
#define fm__cas8(p, old, v)                                                  \
    FM_STEP(p, true,                                                         \
            __c11_atomic_compare_exchange_strong(p_, old, (uint8_t)(v), 5, 5))
#define fm__cas(p, old, v)                                                   \
    FM_STEP(p, true, __c11_atomic_compare_exchange_strong(p_, old, v, 5, 5))

#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_weak
#undef atomic_load
#undef atomic_store
#undef atomic_store_explicit
#undef atomic_exchange
#undef atomic_fetch_add
#undef atomic_fetch_sub
#undef atomic_load_explicit
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_strong(p, old, v)                            \
    FM_STEP(p, true, __c11_atomic_compare_exchange_strong(p_, old, v, 5, 5))
#define atomic_compare_exchange_weak(p, old, v)                              \
    atomic_compare_exchange_strong(p, old, v)
#define atomic_load(p) fm__load(p)
#define atomic_store(p, v) fm__store(p, v)
#define atomic_store_explicit(p, v, order) fm__store(p, v)
#define atomic_fetch_add(p, n) fm__add(p, n)
#define atomic_fetch_sub(p, n) fm__sub(p, n)
#define atomic_load_explicit(p, order) fm__load(p)
#define atomic_exchange_explicit(p, v, order) atomic_exchange(p, v)
#define atomic_compare_exchange_strong_explicit(p, old, v, yes, no)          \
    atomic_compare_exchange_strong(p, old, v)
#define atomic_exchange(p, v)                                                \
    FM_STEP(p, true, __c11_atomic_exchange(p_, v, 5))

static inline bool
fm__alone(void)
{
    return false;
}

struct lock {
    _Atomic uint32_t held;
};

static inline void
lock_take(struct lock *l)
{
    model_lock(&l->held);
    __c11_atomic_store(&l->held, 1, 5);
}

static inline void
lock_give(struct lock *l)
{
    fm__store(&l->held, 0);
}

#endif

/* atomic.h: read-modify-write that is cheap while the process has one thread.
 *
 * A locked instruction costs as much as everything else that a yield does. As
 * long as the C library knows of one thread only, a relaxed load and a relaxed
 * store do the same; creating the second thread orders all of them before
 * what that thread does. */
#ifndef FM_BASE_ATOMIC_H
#define FM_BASE_ATOMIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define FM_KNOWS_ALONE 1
#endif
#endif

static inline bool
fm__alone(void)
{
#ifdef FM_KNOWS_ALONE
    return __libc_single_threaded;
#else
    return false;
#endif
}

/* Where compiled code finds the same. */
#ifdef FM_KNOWS_ALONE
#define FM_ALONE (&__libc_single_threaded)
#else
#define FM_ALONE ""
#endif

#define fm__load(p) atomic_load_explicit((p), memory_order_relaxed)
#define fm__load_acquire(p) atomic_load_explicit((p), memory_order_acquire)
#define fm__store(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
#define fm__store_release(p, v)                                                \
    atomic_store_explicit((p), (v), memory_order_release)

/* The five below return the old value; acquire and release. */
static inline uint32_t
fm__add(_Atomic uint32_t *p, uint32_t n)
{
    if (fm__alone()) {
        uint32_t old = fm__load(p);
        fm__store(p, old + n);
        return old;
    }
    return atomic_fetch_add_explicit(p, n, memory_order_acq_rel);
}

static inline uint32_t
fm__sub(_Atomic uint32_t *p, uint32_t n)
{
    return fm__add(p, 0u - n);
}

static inline uint8_t
fm__or(_Atomic uint8_t *p, unsigned bits)
{
    if (fm__alone()) {
        uint8_t old = fm__load(p);
        fm__store(p, (uint8_t)(old | bits));
        return old;
    }
    return atomic_fetch_or_explicit(p, (uint8_t)bits, memory_order_acq_rel);
}

static inline uint8_t
fm__clear(_Atomic uint8_t *p, unsigned bits)
{
    if (fm__alone()) {
        uint8_t old = fm__load(p);
        fm__store(p, (uint8_t)(old & ~bits));
        return old;
    }
    return atomic_fetch_and_explicit(p, (uint8_t)~bits, memory_order_acq_rel);
}

static inline bool
fm__cas8(_Atomic uint8_t *p, uint8_t *old, unsigned value)
{
    if (fm__alone() && fm__load(p) == *old) {
        fm__store(p, (uint8_t)value);
        return true;
    }
    return atomic_compare_exchange_weak_explicit(
        p, old, (uint8_t)value, memory_order_acq_rel, memory_order_acquire);
}

static inline bool
fm__cas(_Atomic uintptr_t *p, uintptr_t *old, uintptr_t value)
{
    if (fm__alone() && fm__load(p) == *old) {
        fm__store(p, value);
        return true;
    }
    return atomic_compare_exchange_weak_explicit(
        p, old, value, memory_order_acq_rel, memory_order_acquire);
}

/* A lock for a few instructions, never held while other people's code runs. */
struct lock {
    _Atomic uint32_t held;
};

void fm__lock_slow(struct lock *l);

static inline void
lock_take(struct lock *l)
{
    uint32_t free = 0;

    if (fm__alone() && fm__load(&l->held) == 0) {
        fm__store(&l->held, 1);
        return;
    }
    if (!atomic_compare_exchange_strong_explicit(
            &l->held, &free, 1, memory_order_acquire, memory_order_relaxed))
        fm__lock_slow(l);
}

static inline void
lock_give(struct lock *l)
{
    fm__store_release(&l->held, 0); /* pairs with lock_take's acquire */
}

#endif

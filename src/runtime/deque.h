/* deque.h: a worker's own queue of jobs, from which others steal.
 *
 * Chase and Lev, "Dynamic circular work-stealing deque" (SPAA 2005), in the
 * memory model of C as Le, Pop, Cohen and Zappella Nardelli give it (PPoPP
 * 2013), with two changes. The array is of fixed size: when it is full, the
 * pool has something better to do than to copy it. And the owner, too, takes
 * from the old end, as a thief does: so jobs run in the order in which they
 * came, nobody starves behind one who yields, and neither side needs a fence;
 * what is to run next for the sake of its warm cache is in the worker's slot.
 */
#ifndef FM_DEQUE_H
#define FM_DEQUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "runtime/rt.h"

enum { DEQUE_JOBS = 256 };

/* bottom - top jobs, at their index modulo the size. */
struct deque {
    _Atomic size_t top; /* the oldest; whoever moves it on has that job */
    char apart[64];
    _Atomic size_t bottom; /* the next to come; the owner's */
    _Atomic(fm_job *) jobs[DEQUE_JOBS];
};

/* The owner's. False: it is full. The store is sequentially consistent: see
 * fm__pool_notify. It pairs with deque_take's load. */
static inline bool
deque_put(struct deque *d, fm_job *job)
{
    size_t b = atomic_load_explicit(&d->bottom, memory_order_relaxed);
    /* acquire: whoever took the slot's last job has read it by now */
    size_t t = atomic_load_explicit(&d->top, memory_order_acquire);

    if (b - t >= DEQUE_JOBS)
        return false;
    atomic_store_explicit(&d->jobs[b % DEQUE_JOBS], job, memory_order_relaxed);
    atomic_store(&d->bottom, b + 1);
    return true;
}

/* Anybody's; null: it is empty. */
static inline fm_job *
deque_take(struct deque *d)
{
    size_t t = atomic_load_explicit(&d->top, memory_order_acquire);
    fm_job *job;

    for (;;) {
        if ((ptrdiff_t)(atomic_load(&d->bottom) - t) <= 0)
            return NULL;
        job = atomic_load_explicit(&d->jobs[t % DEQUE_JOBS],
                                   memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(
                &d->top, &t, t + 1, memory_order_acq_rel, memory_order_acquire))
            return job;
    }
}

static inline size_t
deque_count(struct deque *d)
{
    size_t t = atomic_load_explicit(&d->top, memory_order_acquire);
    ptrdiff_t n = (ptrdiff_t)(atomic_load(&d->bottom) - t);

    return n > 0 ? (size_t)n : 0;
}

static inline bool
deque_is_empty(struct deque *d)
{
    return deque_count(d) == 0;
}

/* The owner's: there is no room for another. */
static inline bool
deque_is_full(struct deque *d)
{
    return atomic_load_explicit(&d->bottom, memory_order_relaxed) -
               atomic_load_explicit(&d->top, memory_order_acquire) >=
           DEQUE_JOBS;
}

#endif

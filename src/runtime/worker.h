/* worker.h: a worker of the pool, and the pool. */
#ifndef FM_WORKER_H
#define FM_WORKER_H

#include "runtime/deque.h"

enum { WORKERS_MAX = 256 };

struct worker {
    struct deque deque;
    _Atomic(fm_job *) slot;
    _Atomic uint32_t ticks; /* jobs begun; its own thread adds */
    _Atomic uint32_t steals, parks;
    uint32_t seen;          /* ticks, when the watcher last looked */
    unsigned slot_runs, quiet; /* looks of the watch at nothing */
    uint32_t left, interval;   /* jobs until it looks around; of how many */
    int64_t looked;            /* when it last did */
    uint32_t random;
    bool searching;         /* it is one of those who search */
    bool woken;             /* under the lock: it was woken to search */
    bool idle;              /* under the lock: it is on the list */
    struct worker *next;    /* idle ones */
    fm_reactor *reactor;
    const char *stack; /* where its own frames begin; they grow down */
};

struct pool {
    _Atomic(fm_executor *) executor;
    unsigned size;
    _Atomic uintptr_t threads[WORKERS_MAX];
    /* Those that run, by which they are set. Sequentially consistent, as all
     * that tells of jobs; acquire in who only reads the worker. */
    _Atomic(struct worker *) workers[WORKERS_MAX];
    _Atomic uint32_t begun;
    _Atomic uint32_t searching;
    _Atomic uint32_t spare; /* parked, or not begun yet */
    _Atomic uint32_t watching; /* one at most */
    _Atomic uint32_t stop, ended;
    _Atomic uint32_t epoch; /* of those who left their parking for work */
    _Atomic bool forked;
    /* Null, or the thread that has ended the pool: main's. */
    _Atomic(struct thread *) stopped_by;

    _Alignas(64) struct lock lock; /* over what follows */
    fm_job *first, **last; /* the queue of all */
    struct worker *idle;
    _Atomic size_t count; /* of the queue */
};
extern struct pool fm__pool;
/* The calling thread's, or null. */
extern FAST_TLS struct worker *fm__worker;

/* pool.c: what a worker does until the pool stops. */
void fm__worker_loop(struct worker *w);
/* After a job was made visible to others. */
void fm__pool_notify(void);
bool fm__worker_is_idle(struct worker *w);
void fm__pool_post(void *arg, fm_job *job);
void fm__pool_yield(fm_job *job);
/* crew.c */
void fm__worker_begin(unsigned index);

#endif

/* explore.h: every order in which a few threads can go through real code.
 *
 * The runtime's own files are compiled with tests/model/base/atomic.h, where
 * each atomic operation is a step. A scenario is run once for every order of
 * the steps that matters (two neighbouring steps that touch different things,
 * or only read, are not swapped: sleep sets, Godefroid 1996). */
#ifndef EXPLORE_H
#define EXPLORE_H

#include <stdbool.h>
#include <stddef.h>

enum { THREADS_MAX = 4 };

struct scenario {
    const char *name; /* what must hold */
    void (*setup)(void); /* as thread 0, alone */
    void (*threads[THREADS_MAX])(void); /* null: no more */
    void (*finish)(void); /* as thread 0, alone, when all have stopped */
};

/* Memory of one run: a step on a freed block fails it. */
void *model_alloc(size_t bytes);
void model_free(void *p);
size_t model_live(void); /* blocks not freed */

/* A thread waits for something to do: goes on when *flag is not null, and
 * returns true; false: all others have stopped, or wait likewise. */
bool model_wait(void *const volatile *flag);
/* A thread looks again and again: not before another has written there. */
void model_spin(const volatile void *at);
/* The number of the running thread. */
unsigned model_self(void);
/* Of each thread, swapped in and out with it. */
extern void *model_tls;
extern size_t model_tls_bytes;
/* One more pointer that each thread has for itself; null: none. */
extern void **model_own;

/* The run has gone wrong: says how, with the order of steps, and ends. */
__attribute__((noreturn, format(printf, 1, 2))) void model_fail(
    const char *fmt, ...);
#define HOLDS(cond)                                                          \
    ((cond) ? (void)0 : model_fail("%s does not hold (line %d)", #cond,      \
                                   __LINE__))

/* Explores up to `most` runs; returns how many there were. */
unsigned long explore(const struct scenario *s, unsigned long most);

#endif

/* sys.h: the only road from the runtime to the platform. */
#ifndef FM_SYS_H
#define FM_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* FM_SLAB_BYTES of zeroes, aligned to as many; `now`: they will all be used
 * soon, so the system may give the pages at once. */
enum { FM_SLAB_BYTES = 65536 };
void *fm__sys_slab_new(bool now);
void fm__sys_slab_free(void *p);

/* Tests: the N-th allocation from now fails; with `on`, all from then on.
 * 0 = none. The environment's FERMATA_FAIL_ALLOC=N or N+ does the same; with
 * 0 the program says at its end how many there were. */
void fm__sys_fail_alloc(uint64_t n, bool on);
/* True if free lists are not to be used: allocations are being failed. */
bool fm__sys_plain_malloc(void);

/* A fault ENOMEM is raised: while allocations are being failed, the first one
 * is said on standard error, so that a test knows that the failure was not
 * swallowed. */
void fm__sys_alloc_told(void);

void fm__sys_yield_thread(void);
/* A few dozen cycles without work, for who looks again and again. */
void fm__sys_pause(void);
/* How many CPUs the process may use; at least 1. */
unsigned fm__sys_cores(void);
/* A thread of the library's own: its name (fermata-...) says so, the program's
 * signals go elsewhere. False: there is none to be had. */
bool fm__sys_thread_new(uintptr_t *thread, const char *name,
                        void *(*fn)(void *arg), void *arg);
void fm__sys_thread_join(uintptr_t thread);
void fm__sys_thread_detach(uintptr_t thread);
/* Sleeps while *word is `value`, at most ns (-1 = no limit), and may end for
 * no reason; wake ends the sleep of so many. */
void fm__sys_word_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns);
void fm__sys_word_wake(_Atomic uint32_t *word, int threads);
/* fn runs in the child of each fork. */
void fm__sys_at_fork(void (*fn)(void));
/* Before each fork, and after it in the parent and in the child. */
void fm__sys_around_fork(void (*before)(void), void (*parent)(void),
                         void (*child)(void));
/* fn runs when the calling thread ends. */
void fm__sys_at_thread_end(void (*fn)(void));
/* The address of the calling thread's errno. */
int *fm__sys_errno(void);
/* Threads of the process beside this one and those whose name says that they
 * are the library's own (fermata-...). */
unsigned fm__sys_foreign_threads(void);
int64_t fm__sys_now(void);
/* The environment's NAME as a number, `or` if it is not there or no number. */
long fm__sys_env_number(const char *name, long or);
const char *fm__sys_env(const char *name);
/* One line on standard error: what is written is not buffered. */
__attribute__((format(printf, 1, 2))) void fm__sys_say(const char *fmt, ...);
const char *fm__sys_error_name(int code);
__attribute__((noreturn)) void fm__sys_exit_now(int code);

#endif

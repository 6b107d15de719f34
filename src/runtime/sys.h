/* sys.h: the only road from the runtime to the platform. */
#ifndef FM_SYS_H
#define FM_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory from the system; null when there is none. Every allocation of the
 * runtime comes through these, so that a test can fail the N-th one. */
void *fm__sys_alloc(size_t bytes);
void fm__sys_free(void *p);
/* FM_SLAB_BYTES of zeroes, aligned to as many; `now`: they will all be used
 * soon, so the system may give the pages at once. */
enum { FM_SLAB_BYTES = 65536 };
void *fm__sys_slab_new(bool now);
void fm__sys_slab_free(void *p);

/* Tests: the N-th allocation from now fails; with `on`, all from then on.
 * 0 = none. The environment's FERMATA_FAIL_ALLOC=N or N+ does the same. */
void fm__sys_fail_alloc(uint64_t n, bool on);
/* True if free lists are not to be used: allocations are being failed. */
bool fm__sys_plain_malloc(void);

void fm__sys_yield_thread(void);
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

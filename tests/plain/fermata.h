/* fermata.h, plain reading: the language erased.
 *
 * A test compiled with this in front of the real header is ordinary C: async
 * and await are nothing, a start runs its call to the end, every suspension
 * point is a no-op. What such a program prints is what all other readings
 * must print. Only what has an obvious plain meaning is here.
 */
#ifndef FERMATA_H
#define FERMATA_H
#define FERMATA_PLAIN 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define async
#define await
#define fm_async
#define fm_await

typedef struct fm_fault fm_fault;

#define FM_US(n) ((int64_t)(n) * 1000)
#define FM_MS(n) ((int64_t)(n) * 1000000)
#define FM_S(n) ((int64_t)(n) * 1000000000)

static inline void
fm_yield(void)
{
}

static inline void
fm_sleep(int64_t ns)
{
    (void)ns;
}

/* A task is the result itself: calls that return void need FM_TASK(void)
 * and are left to programs that are not read plain. */
#define FM_TASK(T) __typeof__(T)
#define FM_VALUE(T) __typeof__(T)
#define fm_start(call) (call)
#define fm_detach(call) ((void)(call))
#define fm_value(call) (call)
#define fm_take(v) (*(v))
#define fm_get(t) (t)
#define fm_join(t) (t)
#define fm_release(t) ((void)(t))
#define fm_attempt(out, call) (*(out) = (call), (fm_fault *)0)
#define fm_completed(T, ...) (((T[1]){__VA_ARGS__})[0])
/* A source that is completed before anybody asks it for its task. */
#define FM_SOURCE(T) __typeof__(__typeof__(T) *)
#define fm_source_new(T) ((FM_SOURCE(T))__builtin_malloc(sizeof(T) + 1))
#define fm_source_set(s, ...) (*(s) = __VA_ARGS__, true)
#define fm_source_task(s) (*(s))
#define fm_source_release(s) __builtin_free(s)
#define fm_within(ns, call) (call)
#define fm_anywhere(call) (call)
#define fm_blocking(call) (call)

/* A deferred block needs the compiler half; a cleanup attribute does not. */
#define fm_throw(code, ...) __builtin_trap()

#endif

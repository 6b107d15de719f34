/* fermata.h: async and await for C. What a program may use.
 *
 * Needs clang with Fermata's plugin: compile with fermata-cc. Include it
 * after other people's headers (one that names a member `async` cannot
 * follow it), or define FERMATA_NO_KEYWORDS and write fm_async, fm_await.
 */
#ifndef FERMATA_H
#define FERMATA_H

#if !defined(__clang__)
#error "Fermata needs clang: compile with fermata-cc"
#include "fermata needs clang: compile with fermata-cc"
#endif
#pragma clang system_header

#if !defined(__EXCEPTIONS)
#error "Fermata needs -fexceptions, or cleanups vanish: use fermata-cc"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <fermata/abi.h>
#include <fermata/version.h>

/* ---- keywords -------------------------------------------------------- */

/* `async` before a function makes it async, `await` stands before each call
 * of one: see fm_async(3). fm_async and fm_await always exist. */
#define fm_async                                                             \
    _Pragma("clang diagnostic push")                                         \
    _Pragma("clang diagnostic ignored \"-Wignored-attributes\"")             \
    __attribute__((preserve_most, annotate("fermata.async")))                \
    _Pragma("clang diagnostic pop")
#define fm_await __extension__
#if !defined(FERMATA_NO_KEYWORDS) &&                                         \
    (!defined(__cplusplus) || defined(FERMATA_KEYWORDS))
#define async fm_async
#define await fm_await
#endif

typedef void fm__plain(void);
typedef FM_ABI_CONV void fm__marked(void);
#ifdef __cplusplus
static_assert(!__is_same(fm__plain, fm__marked),
              "Fermata does not support this target: async would vanish");
#else
_Static_assert(!__builtin_types_compatible_p(fm__plain, fm__marked),
               "Fermata does not support this target: async would vanish");
#endif

/* Present only until the compiler half has seen the file. The runtime's own
 * plain C does not pass through it. */
#if !defined(FM__RUNTIME)
extern char fermata_plugin_missing_compile_with_fermata_cc;
__attribute__((used)) static char *const fm__guard =
    &fermata_plugin_missing_compile_with_fermata_cc;
#endif

#define FM__NOTHROW __attribute__((nothrow))
#define FM__CLEANUP(fn) __attribute__((cleanup(fn)))
#define FM__JOIN2(a, b) a##b
#define FM__JOIN(a, b) FM__JOIN2(a, b)

/* ---- time: int64_t nanoseconds, relative, monotonic ------------------- */

/* So many micro-, milliseconds and seconds; 0 is now. */
#define FM_US(n) ((int64_t)(n) * 1000)
#define FM_MS(n) ((int64_t)(n) * 1000000)
#define FM_S(n) ((int64_t)(n) * 1000000000)
#define FM_FOREVER INT64_MAX

/* ---- types ------------------------------------------------------------ */

typedef struct fm_task fm_task;
typedef struct fm_source fm_source;
typedef struct fm_fault fm_fault;
typedef struct fm_executor fm_executor;
typedef struct fm_waiter fm_waiter;
typedef struct fm_cancel_source fm_cancel_source;
typedef struct fm_token fm_token;
typedef struct fm_token_reg fm_token_reg;
typedef struct fm_job fm_job;

/* A handle to a task whose result is a T: a pointer to a function type, never
 * called, so that handles of different T are different types. */
typedef void fm__task_tag(fm_task *);
typedef void fm__value_tag(fm_task *, int);
typedef void fm__source_tag(fm_source *);
#define FM_TASK(T)                                                           \
    __typeof__(FM_ABI_CONV __typeof__(T) (*)(fm_task *, fm__task_tag *))
#define FM_VALUE(T)                                                          \
    __typeof__(FM_ABI_CONV __typeof__(T) (*)(fm_task *, fm__value_tag *))
#define FM_SOURCE(T)                                                         \
    __typeof__(FM_ABI_CONV __typeof__(T) (*)(fm_source *, fm__source_tag *))

/* A handle's type without _Atomic. */
#define FM__HANDLE(t) __typeof__(((void)0, (t)))
/* What a handle stands for. It is called, not what it points to, so that the
 * address of a handle is refused. */
#define FM__RESULT(t) __typeof__((t)((fm_task *)0, (fm__task_tag *)0))
#define FM__VALUE_RESULT(v) __typeof__((v)((fm_task *)0, (fm__value_tag *)0))
#define FM__SOURCE_RESULT(s) __typeof__((s)((fm_source *)0,                  \
                                            (fm__source_tag *)0))
/* The untyped task behind any handle; refuses what is no handle. */
#define fm_task_of(t) ((void)sizeof(FM__RESULT(t) *), (fm_task *)(void *)(t))
#define FM__SOURCE_OF(s)                                                     \
    ((void)sizeof(FM__SOURCE_RESULT(s) *), (fm_source *)(void *)(s))

/* Runs; has its result; ended with a fault; ended by being cancelled. */
enum fm_status { FM_RUNNING, FM_DONE, FM_FAULTED, FM_CANCELLED };

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- marks ------------------------------------------------------------
 * A mark's result is attached to one call by the static chain builtin; the
 * early half of the compiler finds it there and rewrites the call. None of
 * the fm_abi_mark_ functions exists in the runtime. */
void *fm_abi_mark_start(void) FM__NOTHROW;
void *fm_abi_mark_start_on(fm_executor *ex) FM__NOTHROW;
void *fm_abi_mark_begin(void *out, size_t bytes) FM__NOTHROW;
void *fm_abi_mark_wait(void) FM__NOTHROW;
void *fm_abi_mark_attempt(void *out, size_t bytes) FM__NOTHROW;
void *fm_abi_mark_attempt_wait(void *out, size_t bytes) FM__NOTHROW;
void *fm_abi_mark_within(int64_t ns) FM__NOTHROW;
void *fm_abi_mark_anywhere(void) FM__NOTHROW;
void *fm_abi_mark_blocking(void); /* not nothrow: it lends its unwind edge */
fm_task *fm_abi_started(void) FM__NOTHROW;     /* the handle of the start */
fm_fault *fm_abi_attempted(void) FM__NOTHROW;  /* the fault of the attempt */

#define FM__MARK(call, mark) __builtin_call_with_static_chain(call, mark)
/* FM__OUT checks the type of an out parameter, FM__BYTES is what it has room
 * for, FM__SIZEOF the size of a result type (void: 0), FM__BOX the address of
 * a T made of what follows, FM__TASKS_OF that of an array of handles; the
 * rest are pointers to functions that return a T. */
#if defined(__cplusplus)
}
#include <fermata/cplusplus.h>
extern "C" {
#else
#define FM__BYTES(out)                                                       \
    sizeof(*_Generic((out), void *: (char *)0, default: (out)))
/* A statement expression, not a struct: clang reads a compound literal in a
 * member declaration as one of file scope. */
#define FM__CHECK(condition, sentence)                                       \
    sizeof(__extension__({                                                   \
        _Static_assert(condition, sentence);                                 \
        0;                                                                   \
    }))
/* Only a null pointer constant makes a conditional's type another's. */
struct fm__nothing;
#define FM__IS_NULL(out)                                                     \
    _Generic(1 ? _Generic((out), void *: (out), default: (void *)1)          \
               : (struct fm__nothing *)0,                                    \
        struct fm__nothing *: 1,                                             \
        default: 0)
#define FM__OUT(out, call)                                                   \
    FM__CHECK(__builtin_types_compatible_p(__typeof__(out),                  \
                                           __typeof__(call) *) ||            \
                  FM__IS_NULL(out),                                          \
              "the out parameter must point to what the call returns "       \
              "(NULL for one that returns void, or to drop the result)")
#define FM__SIZEOF(T)                                                        \
    (__builtin_types_compatible_p(T, void)                                   \
         ? 0                                                                 \
         : sizeof(*_Generic((__typeof__(T) *)0, void *: (char *)0,           \
                            default: (__typeof__(T) *)0)))
/* Of an initialiser that T itself takes, not its first member. */
#define FM__BOX(T, ...)                                                      \
    ((void)sizeof(__extension__({                                            \
        T fm__value = __VA_ARGS__;                                           \
        (void)fm__value;                                                     \
        0;                                                                   \
    })),                                                                     \
     (T[1]){__VA_ARGS__})
#define FM__TASKS_OF(...) ((fm_task *[]){FM__EACH(__VA_ARGS__)})
#define FM__IS_VOID(T) __builtin_types_compatible_p(T, void)
#define FM__TAKES(T) FM_ABI_CONV T (*)(void *, fm__value_tag *)
#define FM__WAITS(T) T (*)(fm_task *)
#define FM__WAITS_FOR(T) T (*)(fm_task *, int64_t)
#endif

/* ---- tasks --------------------------------------------------------------
 *
 * A `call` is exactly one call of an async function, without parentheses or
 * await around it; it may be one of the library's, as fm_start(fm_get(t)).
 * Its arguments may await; they are evaluated first and copied. A handle owns
 * one reference to its task. All of these may be used from any thread. */

/* Runs the call now, on this thread, until it first suspends; gives the
 * handle of its task, which is the caller's. Without memory: the fault
 * ENOMEM in an async function, the end of the program in another. */
#define fm_start(call)                                                       \
    ((FM_TASK(__typeof__(call)))(                                            \
        (void)FM__MARK(call, fm_abi_mark_start()), fm_abi_started()))
/* The same on another executor, where the call begins later. */
#define fm_start_on(ex, call)                                                \
    ((FM_TASK(__typeof__(call)))(                                            \
        (void)FM__MARK(call, fm_abi_mark_start_on(ex)), fm_abi_started()))
/* Starts and lets go; a fault goes to the hook of fm_on_unobserved. */
#define fm_detach(call)                                                      \
    ((void)FM__MARK(call, fm_abi_mark_start()),                              \
     fm_abi_release(fm_abi_started()))
/* Runs the call. Complete at once: its result is in *out, the handle is null,
 * nothing was allocated. Else the handle, and *out is untouched. out may be
 * NULL: for a call that returns void, or to drop such a result. */
#define fm_begin(out, call)                                                  \
    ((void)FM__OUT(out, call),                                               \
     (FM_TASK(__typeof__(call)))(                                            \
         (void)FM__MARK(call, fm_abi_mark_begin((out), FM__BYTES(out))),     \
         fm_abi_started()))
/* The same with the result in an FM_VALUE variable, which is taken once, by
 * fm_take(&v), or made a task, by fm_value_task(&v). */
#define fm_value(call)                                                       \
    ((FM_VALUE(__typeof__(call)))(                                           \
        (void)FM__MARK(call, fm_abi_mark_start()), fm_abi_started()))
/* For ordinary functions: blocks this thread, driving its loop, and gives the
 * call's result. A fault is reported with its trace, then abort(). */
#define fm_wait(call) FM__MARK(call, fm_abi_mark_wait())
/* Awaits the call and gives its fault as a value: null, and the result is in
 * *out, or the fault, and *out is untouched. out may be NULL, as above. The
 * fault lives until the function ends or the same attempt is made again;
 * fm_fault_retain keeps it. fm_attempt_wait is for ordinary functions. */
#define fm_attempt(out, call)                                                \
    ((void)FM__OUT(out, call),                                               \
     (void)FM__MARK(call, fm_abi_mark_attempt((out), FM__BYTES(out))),       \
     fm_abi_attempted())
#define fm_attempt_wait(out, call)                                           \
    ((void)FM__OUT(out, call),                                               \
     (void)FM__MARK(call, fm_abi_mark_attempt_wait((out), FM__BYTES(out))),  \
     fm_abi_attempted())
/* Awaits the call for at most ns; then it is cancelled and, when it has ended,
 * ETIMEDOUT is raised: what was lent to it is free again. */
#define fm_within(ns, call) FM__MARK(call, fm_abi_mark_within(ns))
/* Awaits the call; may resume wherever it completes. */
#define fm_anywhere(call) FM__MARK(call, fm_abi_mark_anywhere())
/* The call of an ordinary function, made on a thread for such: await
 * fm_blocking(fsync(fd)). Its arguments are copied, its errno comes back. A
 * cancellation takes it out of the queue, or waits for its end if it runs
 * already; the result then counts. 64 threads at most (FERMATA_BLOCKING=n),
 * begun when they are needed, ended when they were idle for 5 s
 * (FERMATA_IDLE_MS); calls beyond that queue. What still runs when the program
 * ends is left. */
#define fm_blocking(call) FM__MARK(call, fm_abi_mark_blocking())
/* The address of an async function of a loaded library; name is a string
 * literal. Needs <dlfcn.h>. dlclose leaves a library with async code where it
 * is (fermata-cc links it so): suspended chains point into it. */
#define fm_dlsym(library, name) dlsym((library), name ".fm1")

/* Typed reads of a task: calls of one symbol, cast to the handle's type; the
 * compiler replaces each by an await of the task and a load of its result. */
FM_ABI_CONV void fm_abi_get(void);
FM_ABI_CONV void fm_abi_join(void);
FM_ABI_CONV void fm_abi_take(void);
void fm_abi_wait_get(void);
void fm_abi_wait_get_for(void);
/* Awaited: the result of the task, or its fault raised again; the handle stays
 * valid, a task may be awaited by many. fm_join gives the handle back too,
 * also when it raises; not for FM_AUTO handles. */
#define fm_get(t)                                                            \
    ((FM__HANDLE(t))(void *)fm_abi_get)((fm_task *)(void *)(t),              \
                                        (fm__task_tag *)0)
#define fm_join(t)                                                           \
    ((FM__HANDLE(t))(void *)fm_abi_join)((fm_task *)(void *)(t),             \
                                         (fm__task_tag *)0)
/* Awaited: what a value holds, or its fault. A second take raises EINVAL. */
#define fm_take(v)                                                           \
    ((FM__TAKES(FM__VALUE_RESULT((v)[0])))(void *)fm_abi_take)(                \
        (void *)(v), (fm__value_tag *)0)
/* The value as a task, whose handle is the caller's; the value is taken. */
#define fm_value_task(v)                                                     \
    ((FM_TASK(FM__VALUE_RESULT((v)[0])))fm_abi_value_task((void *)(v)))
/* As fm_wait, for a task; the handle stays the caller's. fm_wait_task_for
 * reports ETIMEDOUT as a fault when ns have passed. */
#define fm_wait_task(t)                                                      \
    ((FM__WAITS(FM__RESULT(t)))(void *)fm_abi_wait_get)(                     \
        (fm_task *)(void *)(t))
#define fm_wait_task_for(t, ns)                                              \
    ((FM__WAITS_FOR(FM__RESULT(t)))(void *)fm_abi_wait_get_for)(             \
        (fm_task *)(void *)(t), (ns))

enum fm_status fm_abi_status(fm_task *t) FM__NOTHROW;
fm_task *fm_abi_retain(fm_task *t) FM__NOTHROW;
void fm_abi_release(fm_task *t) FM__NOTHROW;
void fm_abi_cancel(fm_task *t) FM__NOTHROW;
void fm_abi_task_name(fm_task *t, const char *name) FM__NOTHROW;
fm_task *fm_abi_completed(const void *result, size_t bytes) FM__NOTHROW;
fm_task *fm_abi_value_task(void *value) FM__NOTHROW;
void fm_abi_auto_release(void *handle_variable) FM__NOTHROW;
/* fm_retain gives one more reference, fm_release takes one and cancels
 * nothing; null is allowed for release. fm_cancel asks the task to stop and
 * returns at once: its next wait raises ECANCELED. A name is copied; it stands
 * in dumps. */
#define fm_status(t) fm_abi_status(fm_task_of(t))
#define fm_retain(t) ((FM__HANDLE(t))fm_abi_retain(fm_task_of(t)))
#define fm_release(t) fm_abi_release(fm_task_of(t))
#define fm_cancel(t) fm_abi_cancel(fm_task_of(t))
#define fm_task_name(t, name) fm_abi_task_name(fm_task_of(t), (name))
/* Before the declaration of a handle: released at the end of the block. */
#define FM_AUTO FM__CLEANUP(fm_abi_auto_release)
/* The task that runs here, borrowed; null outside tasks. */
fm_task *fm_self(void) FM__NOTHROW;

/* A task that has ended with that value, an initialiser of a T. The handle is
 * the caller's; null: out of memory. Small values share a task. */
#define fm_completed(T, ...)                                                 \
    ((FM_TASK(T))fm_abi_completed(FM__BOX(T, __VA_ARGS__), sizeof(T)))
#define fm_completed_void() ((FM_TASK(void))fm_abi_completed((void *)0, 0))

FM_ABI_CONV void fm_abi_all(fm_task *const *tasks, size_t n);
FM_ABI_CONV size_t fm_abi_any(fm_task *const *tasks, size_t n);
#define FM__TASKS(ts)                                                        \
    ((void)sizeof(FM__RESULT(*(ts)) *), (fm_task *const *)(void *)(ts))
/* Awaited: all have ended; the first fault is raised, with further ones (at
 * most 64) as its causes. fm_any: one has, its index is returned. Handles stay
 * the caller's; results are read by fm_get. The _of forms take up to eight
 * handles of any types. */
#define fm_all(tasks, n) fm_abi_all(FM__TASKS(tasks), (n))
#define fm_any(tasks, n) fm_abi_any(FM__TASKS(tasks), (n))
#define fm_all_of(...)                                                       \
    fm_abi_all(FM__TASKS_OF(__VA_ARGS__),                                    \
               FM__PICK(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0))
#define fm_any_of(...)                                                       \
    fm_abi_any(FM__TASKS_OF(__VA_ARGS__),                                    \
               FM__PICK(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0))
#define FM__EACH(...)                                                        \
    FM__PICK(__VA_ARGS__, FM__E8, FM__E7, FM__E6, FM__E5, FM__E4, FM__E3,    \
             FM__E2, FM__E1, 0)(__VA_ARGS__)
#define FM__PICK(a, b, c, d, e, f, g, h, name, ...) name
#define FM__E1(a) fm_task_of(a)
#define FM__E2(a, ...) fm_task_of(a), FM__E1(__VA_ARGS__)
#define FM__E3(a, ...) fm_task_of(a), FM__E2(__VA_ARGS__)
#define FM__E4(a, ...) fm_task_of(a), FM__E3(__VA_ARGS__)
#define FM__E5(a, ...) fm_task_of(a), FM__E4(__VA_ARGS__)
#define FM__E6(a, ...) fm_task_of(a), FM__E5(__VA_ARGS__)
#define FM__E7(a, ...) fm_task_of(a), FM__E6(__VA_ARGS__)
#define FM__E8(a, ...) fm_task_of(a), FM__E7(__VA_ARGS__)

/* To the back of this executor's queue. */
fm_async void fm_yield(void);
/* Runs fn(arg) on a thread for such calls, and waits for its end. */
fm_async void fm_abi_blocking(void (*fn)(void *arg), void *arg);
/* How many calls of each kind wait and run: the user's, files, names. */
void fm_abi_lanes(size_t *queued, size_t *running) FM__NOTHROW;

/* ---- sources ----------------------------------------------------------- */

/* A task completed by hand, from any thread. The first of set, fail, cancel
 * returns true. The value is copied; fm_source_fail takes a reference of its
 * own to the fault; fm_source_task gives a new one to the task. The first
 * awaiter runs inside the completion where its executor allows it, the others
 * are queued; those of a queued source all are. The last release of a source
 * that nobody completed ends its task with ECANCELED. fm_cancel on the task
 * completes the source likewise. A new source is null when there is no memory;
 * all of these take that, and its task is one that ended with ENOMEM. */
fm_source *fm_abi_source_new(size_t bytes, bool queued) FM__NOTHROW;
bool fm_abi_source_set(fm_source *s, const void *value,
                       size_t bytes) FM__NOTHROW;
bool fm_abi_source_fail(fm_source *s, fm_fault *f) FM__NOTHROW;
bool fm_abi_source_cancel(fm_source *s) FM__NOTHROW;
fm_task *fm_abi_source_task(fm_source *s) FM__NOTHROW;
fm_source *fm_abi_source_retain(fm_source *s) FM__NOTHROW;
void fm_abi_source_release(fm_source *s) FM__NOTHROW;
#define fm_source_new(T)                                                     \
    ((FM_SOURCE(T))fm_abi_source_new(FM__SIZEOF(T), false))
#define fm_source_new_queued(T)                                              \
    ((FM_SOURCE(T))fm_abi_source_new(FM__SIZEOF(T), true))
#define fm_source_set(s, ...)                                                \
    fm_abi_source_set(FM__SOURCE_OF(s),                                      \
                      FM__BOX(FM__SOURCE_RESULT(s), __VA_ARGS__),            \
                      sizeof(FM__SOURCE_RESULT(s)))
#define fm_source_set_void(s)                                                \
    ((void)FM__CHECK(FM__IS_VOID(FM__SOURCE_RESULT(s)),                      \
                     "this source has a value: fm_source_set(s, value)"),    \
     fm_abi_source_set(FM__SOURCE_OF(s), (void *)0, 0))
#define fm_source_fail(s, f) fm_abi_source_fail(FM__SOURCE_OF(s), (f))
#define fm_source_cancel(s) fm_abi_source_cancel(FM__SOURCE_OF(s))
#define fm_source_task(s)                                                    \
    ((FM_TASK(FM__SOURCE_RESULT(s)))fm_abi_source_task(FM__SOURCE_OF(s)))
#define fm_source_retain(s)                                                  \
    ((FM__HANDLE(s))fm_abi_source_retain(FM__SOURCE_OF(s)))
#define fm_source_release(s) fm_abi_source_release(FM__SOURCE_OF(s))

/* ---- the primitive ----------------------------------------------------- */

/* Called once the whole chain has been unwound, on the thread that suspended.
 * May call fm_resume(waiter) at once, later, or from another thread; exactly
 * once. */
typedef void fm_arm(fm_waiter *waiter, void *arg);
/* Asks to give up a wait, on the waiter's executor, at most once. Returns
 * true if it made sure that fm_resume will not be called for this wait (the
 * runtime then resumes the chain itself), false if the completion is already
 * under way and fm_resume has been or will be called. */
typedef bool fm_disarm(fm_waiter *waiter, void *arg);

/* Suspends the chain until fm_resume(waiter). Cancellation does not end it. */
fm_async void fm_suspend(fm_arm *arm, void *arg);
/* The same for a wait that takes part in cancellation: true = resumed by
 * fm_resume; false = given up because the ambient token, deadline or task was
 * cancelled (also when it was so before: arm is then not called), or for want
 * of memory. The caller then undoes what it began and calls
 * fm_raise_cancelled, before it suspends again. */
fm_async bool fm_suspend_until(fm_arm *arm, fm_disarm *disarm, void *arg);
/* Resumes a suspended chain, from any thread, once. */
void fm_resume(fm_waiter *waiter) FM__NOTHROW;
/* The same, but it never runs inside the call: it is queued on its executor. */
void fm_resume_later(fm_waiter *waiter) FM__NOTHROW;
/* True if a wait here would be given up: see fm_suspend_until. Plain. */
bool fm_cancel_pending(void) FM__NOTHROW;
/* For a library, as the last thing of an async function: the same without a
 * frame of its own. What the wait needs lies in memory that ends with it, of
 * which fm_abi_park is the head. One of the other two is awaited right after
 * it was made and filled, also if it is null (no memory: it raises ENOMEM).
 * It returns when fm_resume has been called, with `value` or nothing, or
 * raises `fault` if one was set, or what gave the wait up. What is pending
 * before is for the caller to look for. */
struct fm_abi_fault {
    int code;
    const char *function, *text;
};
struct fm_abi_park {
    fm_waiter *waiter;                /* arm's, for who resumes it */
    const struct fm_abi_fault *fault; /* null: none */
    bool value;
};
void *fm_abi_park_new(size_t bytes, fm_arm *arm,
                      fm_disarm *disarm) FM__NOTHROW;
fm_async void fm_abi_park_on(void *park);
fm_async bool fm_abi_park_value(void *park);
/* The same without any memory, for one task at a time: what it waits for
 * begins with a fm_abi_place. Who knows that the process has one thread, that
 * no ambient list is there and that a task runs here writes down the task as
 * the waiter and awaits this at once: it was begun then, and returns true, or
 * what fm_abi_place_end was told by who ends it, before the fm_resume. */
struct fm_abi_place {
    fm_disarm *disarm; /* of the waiter, and the place */
};
fm_async bool fm_abi_place_wait(struct fm_abi_place *place);
void fm_abi_place_end(fm_waiter *waiter, bool value) FM__NOTHROW;
/* Before an operation that may be done at once: may it, and if it is, are
 * others to have their turn after it? */
enum fm_abi_go { FM_ABI_GO, FM_ABI_GO_YIELD, FM_ABI_CANCELLED };
enum fm_abi_go fm_abi_may_go(void) FM__NOTHROW;
/* Raises the fault of the cancellation that is pending here (ECANCELED with
 * its token, or ETIMEDOUT for a deadline), or ENOMEM if that gave up the wait;
 * returns if there is none. */
fm_async void fm_raise_cancelled(void);
/* For a library before it tries an operation that may be done at once: raises
 * as fm_raise_cancelled does, and now and then yields, so that a loop over
 * such operations lets others run. */
fm_async void fm_checkpoint(void);

/* ---- waiting in ordinary C ---------------------------------------------- */

/* Runs this thread's loop until nothing is left: no job, no timer, no
 * descriptor that somebody waits for. Not inside async functions. */
void fm_run_until_idle(void);

/* ---- faults -------------------------------------------------------------- */

/* fm_throw(code, format, ...) ends the async function with a fault: an errno
 * value or a code of one's own from FM_CODE_USER up, and a message as for
 * printf. fm_rethrow sends a fault on; the reference stays its owner's. */
#define FM_CODE_USER 0x10000
__attribute__((format(printf, 5, 6))) __attribute__((noreturn, cold)) void
fm_abi_throw(int code, const char *function, const char *file, int line,
             const char *fmt, ...);
#define fm_throw(code, ...)                                                  \
    fm_abi_throw((code), __func__, __FILE__, __LINE__, __VA_ARGS__)
__attribute__((noreturn, cold)) void fm_abi_rethrow(fm_fault *f);
#define fm_rethrow(f) fm_abi_rethrow(f)

/* A place in the source; the strings live as long as the program. */
struct fm_place {
    const char *function, *file;
    unsigned line;
};
/* Makes a fault object without raising it (for fm_source_fail); the caller
 * owns one reference. */
__attribute__((format(printf, 5, 6))) fm_fault *
fm_abi_fault_new(int code, const char *function, const char *file, int line,
                 const char *fmt, ...) FM__NOTHROW;
#define fm_fault_new(code, ...)                                              \
    fm_abi_fault_new((code), __func__, __FILE__, __LINE__, __VA_ARGS__)
/* What a fault is made of: borrowed, as long as the fault lives. The cause and
 * the token may be null. The place of a fault that the library raised has line
 * 0: its trace begins where that was awaited. Any thread may read faults. */
int fm_fault_code(const fm_fault *f) FM__NOTHROW;
const char *fm_fault_message(const fm_fault *f) FM__NOTHROW;
fm_fault *fm_fault_cause(const fm_fault *f) FM__NOTHROW;
struct fm_place fm_fault_place(const fm_fault *f) FM__NOTHROW;
/* Copies up to n frames that the fault passed, innermost first, to out;
 * returns how many there are. */
size_t fm_fault_trace(const fm_fault *f, struct fm_place *out,
                      size_t n) FM__NOTHROW;
fm_token *fm_fault_token(const fm_fault *f) FM__NOTHROW;
/* One reference more; one less (null is allowed). */
fm_fault *fm_fault_retain(fm_fault *f) FM__NOTHROW;
void fm_fault_release(fm_fault *f) FM__NOTHROW;
/* Called when the last handle of a task goes whose fault nobody observed, on
 * the thread that released it; both are borrowed. Null: the default, a line
 * and the trace on standard error. */
typedef void fm_unobserved_hook(fm_task *t, fm_fault *f);
void fm_on_unobserved(fm_unobserved_hook *hook) FM__NOTHROW;

/* fm_fault *f; fm_try { ... } fm_catch (f) { ... }: both blocks may await and
 * may be left in any way. f is the function's: it lives until that ends or
 * the same handler catches again; fm_fault_retain keeps it. */
int fm_abi_try(void) FM__NOTHROW;
void *fm_abi_try_open(void) FM__NOTHROW;
void fm_abi_try_end(struct fm_scope *s) FM__NOTHROW;
fm_fault *fm_abi_catch(void) FM__NOTHROW;
#define fm_try                                                               \
    if (fm_abi_try()) {                                                      \
        FM__CLEANUP(fm_abi_try_end)                                          \
        struct fm_scope FM__JOIN(fm__try, __LINE__) = {fm_abi_try_open()};
#define fm_catch(f)                                                          \
    }                                                                        \
    else if ((f) = fm_abi_catch(), 0) {                                      \
    }                                                                        \
    else

/* FM_DEFER statement, or block: runs when the enclosing block is left, in
 * whatever way, inner ones first; may await, undisturbed by cancellation;
 * must not leave itself by break, continue, goto or return. */
int fm_abi_defer(struct fm_scope *s) FM__NOTHROW;
void fm_abi_defer_run(struct fm_scope *s);
#define FM_DEFER                                                             \
    FM__CLEANUP(fm_abi_defer_run)                                            \
    struct fm_scope FM__JOIN(fm__defer, __LINE__) = {0};                     \
    if (!fm_abi_defer(&FM__JOIN(fm__defer, __LINE__))) {                     \
    } else

/* ---- cancellation --------------------------------------------------------- */

/* From any thread. The token of a source is borrowed: it lives as long as the
 * source, or as a reference of one's own (fm_token_retain). A linked source
 * fires when its parent does. A source fires once; fire_after takes the first
 * delay that it is given. */
fm_cancel_source *fm_cancel_source_new(void) FM__NOTHROW;
fm_token *fm_cancel_source_token(fm_cancel_source *s) FM__NOTHROW;
void fm_cancel_source_fire(fm_cancel_source *s) FM__NOTHROW;
void fm_cancel_source_fire_after(fm_cancel_source *s, int64_t ns) FM__NOTHROW;
fm_cancel_source *fm_cancel_source_link(fm_token *parent) FM__NOTHROW;
void fm_cancel_source_release(fm_cancel_source *s) FM__NOTHROW;
fm_token *fm_token_retain(fm_token *tok) FM__NOTHROW;
void fm_token_release(fm_token *tok) FM__NOTHROW;
bool fm_token_fired(const fm_token *tok) FM__NOTHROW;
/* Raises ECANCELED carrying the token if it has fired. */
fm_async void fm_token_check(fm_token *tok);
/* fn runs once after the token has fired, as a job of the executor that called
 * fm_token_on, never inside fire; at once queued if it has fired before. Each
 * registration is given back by fm_token_off, from any thread, which never
 * blocks: true = fn has not run and never will. Null: out of memory. */
typedef void fm_token_fn(void *arg);
fm_token_reg *fm_token_on(fm_token *tok, fm_token_fn *fn,
                          void *arg) FM__NOTHROW;
bool fm_token_off(fm_token_reg *reg) FM__NOTHROW;

void *fm_abi_with_token(fm_token *tok) FM__NOTHROW;
void *fm_abi_with_timeout(int64_t ns) FM__NOTHROW;
void *fm_abi_with_shield(void) FM__NOTHROW;
void fm_abi_with_end(struct fm_scope *s) FM__NOTHROW;
#define FM__WITH(kind, open)                                                 \
    FM__CLEANUP(fm_abi_with_end)                                             \
    struct fm_scope FM__JOIN(fm__##kind, __LINE__) = {open}
/* To the end of the enclosing block, for its awaits and for tasks started in
 * it: a token (a reference is kept) that cancels them; a deadline, ns from now, after
 * which they raise ETIMEDOUT; no cancellation from outside at all. */
#define fm_with_token(tok) FM__WITH(token, fm_abi_with_token(tok))
#define fm_with_timeout(ns) FM__WITH(timeout, fm_abi_with_timeout(ns))
#define fm_with_shield() FM__WITH(shield, fm_abi_with_shield())

/* ---- contexts --------------------------------------------------------------- */

/* A key for async-local values: a static object, known by its address. */
typedef struct fm_local {
    const char *name;
} fm_local;
/* The value that is set here, or null. */
void *fm_local_get(const fm_local *key) FM__NOTHROW;
void *fm_abi_with_local(const fm_local *key, void *value) FM__NOTHROW;
/* Sets it to the end of the enclosing block, for all that is awaited or
 * started there. What it points to stays the caller's. */
#define fm_with_local(key, value)                                            \
    FM__WITH(local, fm_abi_with_local((key), (void *)(value)))

/* A job: run once, by fm_job_run, on the executor that it was posted to. The
 * link is the executor's while it holds the job. */
struct fm_job {
    void (*run)(fm_job *job);
    struct fm_job *next;
};
/* A timer in the caller's memory. The links are the executor's while it runs.
 * fire is called once, on the executor's thread, never early. */
typedef struct fm_timer {
    struct fm_timer *link[3];
    int64_t deadline;             /* on fm_now's clock */
    void (*fire)(struct fm_timer *timer);
    void *owner;                  /* the pool's: which worker has it */
} fm_timer;
/* A user's executor. post is called from any thread and hands over a job that
 * must be run once, later, on the executor's thread, inside no other job.
 * The rest may be null: an executor without is_current is never current
 * outside its jobs; without timers, a loop beside is asked, on a thread of
 * the runtime's own; without drive, fm_wait on its thread is a reported error.
 * drive runs jobs, timers and events on the calling thread until done(arg)
 * is true; while it has nothing to wait for it calls done every 100 ms.
 * timer_start and timer_stop are called on the executor's thread; stop
 * returns false if the timer has fired.
 * pending tells, from any thread, how much it still has to serve: jobs
 * (one under way included), timers, descriptors that somebody waits for;
 * null = not known, taken as something. free is called by fm_executor_free,
 * never on the executor's own thread. */
typedef struct fm_executor_vtable {
    void (*post)(void *arg, fm_job *job);
    bool (*is_current)(void *arg);
    void (*drive)(void *arg, bool (*done)(void *done_arg), void *done_arg);
    void (*timer_start)(void *arg, fm_timer *timer);
    bool (*timer_stop)(void *arg, fm_timer *timer);
    size_t (*pending)(void *arg);
    void (*free)(void *arg);
} fm_executor_vtable;
fm_executor *fm_executor_new(const fm_executor_vtable *vtable,
                             void *arg) FM__NOTHROW;
/* Ends an executor of fm_executor_new or fm_loop_new, never on its own
 * thread. The tasks of a loop of fm_loop_new are cancelled and waited for, for
 * FERMATA_EXIT_MS at most; those that are suspended on a user's executor must
 * have ended: the first that is woken later ends the program with a sentence.
 * Null is allowed. */
void fm_executor_free(fm_executor *ex) FM__NOTHROW;
/* An executor's ready jobs, oldest first; only its own thread touches them.
 * Empty: first is null and last points to first. An executor that shows its
 * queue (optional, once, before its first job) is spared a call for each job:
 * the runtime appends what its own thread posts, and when a job's task
 * suspends it may take the next ones off, a bounded number in a row, and
 * adds how many to taken. */
typedef struct fm_ready {
    fm_job *first, **last;
    size_t taken;
} fm_ready;
void fm_executor_show(fm_executor *ex, fm_ready *queue) FM__NOTHROW;
/* The executor whose job runs here, else this thread's loop; borrowed. */
fm_executor *fm_executor_self(void) FM__NOTHROW;
void fm_job_run(fm_job *job);
/* Starts and stops a timer on an executor, on its thread: by its vtable, or
 * by the loop beside, which fires on its own thread. A timer that has fired
 * need not be stopped; false: it has fired, or is about to. */
void fm_executor_timer_start(fm_executor *ex, fm_timer *timer) FM__NOTHROW;
bool fm_executor_timer_stop(fm_executor *ex, fm_timer *timer) FM__NOTHROW;
fm_executor *fm_abi_loop_beside(void) FM__NOTHROW;
void fm_abi_executor_end(fm_executor *ex) FM__NOTHROW;
/* For the pool's workers: a place to park where their tasks' descriptors and
 * timers are. Made for the calling thread; null with errno. sleep waits for at
 * most ns (0: only looks, -1: no limit) and tells whether there is something
 * to serve; only wake, serve_other (does what came for one that is busy) and
 * timer_stop are for other threads. */
typedef struct fm_reactor fm_reactor;
fm_reactor *fm_abi_reactor_new(void) FM__NOTHROW;
void fm_abi_reactor_free(fm_reactor *r) FM__NOTHROW;
bool fm_abi_reactor_sleep(fm_reactor *r, int64_t ns) FM__NOTHROW;
void fm_abi_reactor_serve(fm_reactor *r);
void fm_abi_reactor_serve_other(fm_reactor *r);
void fm_abi_reactor_wake(fm_reactor *r) FM__NOTHROW;
void fm_abi_reactor_timer_start(fm_reactor *r, fm_timer *timer) FM__NOTHROW;
bool fm_abi_reactor_timer_stop(fm_timer *timer) FM__NOTHROW;
int64_t fm_now(void) FM__NOTHROW; /* monotonic clock, ns */
/* The calling thread's loop, made at the first call, the thread's to drive
 * (fm_wait, fm_run_until_idle). Ends with the thread: a task that still waits
 * there does not go on; let the thread wait for its tasks. */
fm_executor *fm_loop(void) FM__NOTHROW;
/* A loop with a thread of its own (named "fermata-loop"), which runs until
 * fm_executor_free. Null with errno: no thread or no descriptor. */
fm_executor *fm_loop_new(void) FM__NOTHROW;
/* For a thread that has an event loop of another library: it can run this
 * thread's tasks. The descriptor is readable when there is something to do;
 * fm_loop_turn does it, without sleeping, and returns in how many ns it must
 * be called again: 0 = at once; FM_FOREVER = when the descriptor is readable;
 * -1 = the same, but nothing is left that it waits for. Call it also after own
 * code on this thread has started or woken tasks. Not from inside a task. */
int fm_loop_fd(void);
int64_t fm_loop_turn(void);
/* The other way round: this thread's loop runs another one. fd is readable
 * when that has something to do; turn does it, without sleeping, and returns
 * as fm_loop_turn does. One guest a thread; its memory stays the caller's.
 * 0, or -1 with errno (EBUSY: there is one). */
typedef struct fm_guest {
    int64_t (*turn)(struct fm_guest *guest);
    int fd;
} fm_guest;
int fm_loop_invite(fm_guest *guest) FM__NOTHROW;
void fm_loop_dismiss(fm_guest *guest) FM__NOTHROW;
/* The work-stealing pool, made at the first call: as many threads (named
 * "fermata-pool") as the process has cores, or FERMATA_POOL=n of them, begun
 * when they are needed. A task there resumes on whichever is free; what it
 * awaits, sleeps and sockets too, may be awaited there. It lasts as long as the
 * program and is not to be freed. */
fm_executor *fm_pool(void) FM__NOTHROW;
/* In the child of a fork, which has exec'd nothing: the parent's other tasks,
 * timers and waits are forgotten, without touching descriptors, and this
 * thread's loop starts anew; the task that forked goes on. Without it, the
 * child's next use of a loop ends it with a sentence. A child that a task of the
 * pool has forked has no main to return to: it ends by exit or exec. */
void fm_atfork_child(void) FM__NOTHROW;
bool fm_abi_loop_after_fork(void) FM__NOTHROW; /* false: there was none */
/* Goes on on that executor until this function ends; its caller goes on on
 * its own. */
fm_async void fm_switch(fm_executor *ex);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

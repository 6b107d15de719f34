/* sync.h: tasks that wait for one another: groups, channels, locks.
 *
 * Nothing here blocks a thread: who has to wait suspends. Everything may be
 * used from any thread and by tasks of any executor; who is woken goes on as
 * a job of its own executor, never inside the call that woke it. Waiting is
 * first come, first served, and what a waiter waits for is handed to it: a
 * cancelled wait either was given what it waited for, and returns it (the
 * next wait is then cancelled), or was not and never will be. So no grant
 * and no value is lost. Each async function here raises the cancellation
 * that is pending before it succeeds at once.
 */
#ifndef FERMATA_SYNC_H
#define FERMATA_SYNC_H

#include <fermata.h>
#pragma clang system_header

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- groups ------------------------------------------------------------ */

/* Tasks that end together. A group lies in the block that opens it and owns
 * what is started in it; a task that ends takes no memory from then on. */
typedef struct fm_group {
    void *opaque[10];
} fm_group;

fm_async void fm_abi_group_leave(fm_group *g);
fm_async void fm_abi_group_reserve(fm_group *g);
void fm_abi_group_add(fm_group *g, fm_task *t) FM__NOTHROW;

/* Opens a group that belongs to the enclosing block of an async function.
 * Leaving the block in whatever way without fm_group_close cancels its tasks
 * and waits for their end; a fault of one of them is then raised, or becomes
 * the cause of the fault under way. */
#define FM_GROUP(g) FM__CLEANUP(fm_abi_group_leave) fm_group g = {{0}}
/* Starts the call as fm_start does, as a task of the group, from any task as
 * long as the group is open: in the block, or in one of its tasks. What the
 * call returns is dropped. In a group that has faulted the task is cancelled
 * at once. Raises ENOMEM; then nothing was started. */
#define fm_group_start(g, call)                                              \
    (fm_await fm_abi_group_reserve(g),                                       \
     (void)FM__MARK(call, fm_abi_mark_start()),                              \
     fm_abi_group_add((g), fm_abi_started()))
/* Waits until all tasks of the group have ended. The first fault cancels the
 * others at once, wherever the block is then, and is raised here when they
 * have ended, with further faults (at most 64) as its causes; those that
 * ended by being cancelled are none. Cancelled itself, it cancels them, waits
 * for their end, and raises the cancellation. The group is empty afterwards
 * and may be used again. */
fm_async void fm_group_close(fm_group *g);
/* Asks all its tasks to stop, and those that are started later; returns at
 * once. fm_group_close then raises nothing for those that did. */
void fm_group_cancel(fm_group *g) FM__NOTHROW;

/* ---- channels ------------------------------------------------------------ */

typedef struct fm_channel fm_channel;
typedef void fm__channel_tag(fm_channel *);
/* A queue of values of type T, from many tasks to many. A handle owns one
 * reference; one of another T is another type. */
#define FM_CHANNEL(T)                                                        \
    __typeof__(FM_ABI_CONV __typeof__(T) (*)(fm_channel *, fm__channel_tag *))
#define FM__CHANNEL_VALUE(c) __typeof__((*(c))((fm_channel *)0,              \
                                               (fm__channel_tag *)0))
#define FM__CHANNEL_OF(c)                                                    \
    ((void)sizeof(FM__CHANNEL_VALUE(c)), (fm_channel *)(void *)(c))
#ifdef __cplusplus
#define FM__CHANNEL_OUT(c, out)                                              \
    ((void)sizeof(fm__out_check<__typeof__(out), FM__CHANNEL_VALUE(c)>),     \
     (void *)(out))
#else
#define FM__CHANNEL_OUT(c, out)                                              \
    ((void)FM__CHECK(__builtin_types_compatible_p(__typeof__(out),           \
                                                  FM__CHANNEL_VALUE(c) *),   \
                     "the out parameter must point to what the channel "     \
                     "carries"),                                             \
     (void *)(out))
#endif
#define FM__CHANNEL_IN(c, ...) FM__BOX(FM__CHANNEL_VALUE(c), __VA_ARGS__)

fm_channel *fm_abi_channel_new(size_t bytes, size_t capacity) FM__NOTHROW;
fm_channel *fm_abi_channel_retain(fm_channel *c) FM__NOTHROW;
void fm_abi_channel_release(fm_channel *c) FM__NOTHROW;
void fm_abi_channel_close(fm_channel *c) FM__NOTHROW;
fm_async void fm_abi_send(fm_channel *c, const void *value);
fm_async bool fm_abi_receive(fm_channel *c, void *out);
bool fm_abi_try_send(fm_channel *c, const void *value) FM__NOTHROW;
bool fm_abi_try_receive(fm_channel *c, void *out) FM__NOTHROW;

/* A channel that holds up to `capacity` values that nobody has received yet;
 * 0: a send waits until somebody receives. Null: out of memory. */
#define fm_channel_new(T, capacity)                                          \
    ((FM_CHANNEL(T))fm_abi_channel_new(sizeof(T), (capacity)))
#define fm_channel_retain(c)                                                 \
    ((FM__HANDLE(c))fm_abi_channel_retain(FM__CHANNEL_OF(c)))
/* The last one frees it and drops the values in it; nobody may wait in it
 * then. Does not close it. Null is allowed. */
#define fm_channel_release(c) fm_abi_channel_release(FM__CHANNEL_OF(c))
/* No more values: sends that wait raise EPIPE, receivers get what is in it
 * and then its end. A second close does nothing. */
#define fm_channel_close(c) fm_abi_channel_close(FM__CHANNEL_OF(c))
/* Sends a copy of the value; waits while there is no room. Raises EPIPE if the
 * channel is closed. */
#define fm_send(c, ...)                                                      \
    fm_abi_send(FM__CHANNEL_OF(c), FM__CHANNEL_IN(c, __VA_ARGS__))
/* The oldest value into *out, and true; false: closed and empty, *out is
 * untouched. Waits while the channel is empty. */
#define fm_receive(c, out)                                                   \
    fm_abi_receive(FM__CHANNEL_OF(c), FM__CHANNEL_OUT(c, out))
/* The same for ordinary C, which never wait: false if there is no room, no
 * value, or the channel is closed. */
#define fm_try_send(c, ...)                                                  \
    fm_abi_try_send(FM__CHANNEL_OF(c), FM__CHANNEL_IN(c, __VA_ARGS__))
#define fm_try_receive(c, out)                                               \
    fm_abi_try_receive(FM__CHANNEL_OF(c), FM__CHANNEL_OUT(c, out))

/* One of the operations that fm_select chooses from. */
typedef struct fm_choice {
    fm_channel *channel;
    void *value;
    bool *more;
    bool sends;
} fm_choice;
fm_async int fm_abi_select(int64_t ns, const fm_choice *choices, int n);
/* Waits until one of the choices can be done, does it, and no other, and
 * returns its index; of several that can be done now, the first. -1: the time
 * is over (0: it never waits; FM_FOREVER). Sending to a closed channel raises
 * EPIPE. The values to send are read until it returns.
 *     switch (await fm_select(FM_S(1), FM_RECEIVE(jobs, &job, &more),
 *                             FM_SEND(results, done))) { ... } */
#ifdef __cplusplus
struct fm__choices {
    fm_choice of[8]; /* those without a channel are none */
};
#define fm_select(ns, ...)                                                   \
    fm_abi_select((ns), fm__choices{{__VA_ARGS__}}.of, 8)
#else
#define fm_select(ns, ...)                                                   \
    fm_abi_select((ns), (const fm_choice[]){__VA_ARGS__},                    \
                  (int)(sizeof((const fm_choice[]){__VA_ARGS__}) /           \
                        sizeof(fm_choice)))
#endif
/* *more: false if the channel is closed and empty and nothing was received;
 * `more` may be null if it is never closed. */
#define FM_RECEIVE(c, out, more)                                             \
    { FM__CHANNEL_OF(c), FM__CHANNEL_OUT(c, out), (more), false }
#define FM_SEND(c, ...)                                                      \
    {                                                                        \
        FM__CHANNEL_OF(c), (void *)FM__CHANNEL_IN(c, __VA_ARGS__), (bool *)0, \
            true                                                             \
    }

/* ---- in the caller's memory ------------------------------------------------
 *
 * All bytes zero is a mutex that is free, a semaphore of 0, an event that is
 * not set. _fini ends one that nobody waits for any more; it needs none if
 * that is certain. */

struct fm_line {
    uint32_t lock, unused;
    size_t state;
    void *first, *last;
};

typedef struct fm_mutex {
    struct fm_line line;
} fm_mutex;
#define FM_MUTEX_INIT {{0, 0, 0, (void *)0, (void *)0}}
void fm_mutex_init(fm_mutex *m) FM__NOTHROW;
void fm_mutex_fini(fm_mutex *m) FM__NOTHROW;
/* Takes it; waits while another has it, also if that is the same task. */
fm_async void fm_lock(fm_mutex *m);
bool fm_try_lock(fm_mutex *m) FM__NOTHROW;
/* Gives it to who has waited longest. It belongs to no thread: a task may
 * await while it has it, and another may give it back. Fits a cleanup. */
void fm_unlock(fm_mutex *m) FM__NOTHROW;
void fm_abi_unlock(fm_mutex **m) FM__NOTHROW;
fm_async fm_mutex *fm_abi_lock(fm_mutex *m);
/* Takes it, to the end of the enclosing block. */
#define fm_with_lock(m)                                                      \
    FM__CLEANUP(fm_abi_unlock)                                               \
    fm_mutex *FM__JOIN(fm__lock, __LINE__) = fm_await fm_abi_lock(m)

typedef struct fm_sem {
    struct fm_line line;
} fm_sem;
void fm_sem_init(fm_sem *s, size_t count) FM__NOTHROW;
void fm_sem_fini(fm_sem *s) FM__NOTHROW;
/* Takes n of the count, all at once; waits while there are fewer, or while
 * others wait who came before. */
fm_async void fm_sem_wait(fm_sem *s, size_t n);
bool fm_sem_try(fm_sem *s, size_t n) FM__NOTHROW;
void fm_sem_post(fm_sem *s, size_t n) FM__NOTHROW;

/* Set or not; while it is set nobody waits. */
typedef struct fm_event {
    struct fm_line line;
} fm_event;
void fm_event_init(fm_event *e) FM__NOTHROW;
void fm_event_fini(fm_event *e) FM__NOTHROW;
fm_async void fm_event_wait(fm_event *e);
/* Wakes all who wait, also if it is reset right after. */
void fm_event_set(fm_event *e) FM__NOTHROW;
void fm_event_reset(fm_event *e) FM__NOTHROW;
bool fm_event_is_set(fm_event *e) FM__NOTHROW;

/* A meeting of n tasks, again and again. */
typedef struct fm_barrier {
    struct fm_line line;
    size_t parties;
} fm_barrier;
void fm_barrier_init(fm_barrier *b, size_t parties) FM__NOTHROW;
void fm_barrier_fini(fm_barrier *b) FM__NOTHROW;
/* Waits until n have come; true for the one that came last. One that is
 * cancelled before has not come. */
fm_async bool fm_barrier_wait(fm_barrier *b);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

/* stress_run.c: what units compiled with -ffermata-stress call: the point that
 * suspends now and then, the way from a plain address to its split function,
 * the wait of a plain entry, what longjmp must not lose, a word about handlers
 * of signals. Nothing of it is used by any other program. */
#include "runtime/entry.h"

/* One converted function; the compiler half fills the section. */
struct row {
    void *plain, *split;
    uint64_t type;
};
extern const struct row first __asm__("__start_fm_stress")
    __attribute__((weak, visibility("hidden")));
extern const struct row last __asm__("__stop_fm_stress")
    __attribute__((weak, visibility("hidden")));

#pragma GCC visibility push(default)
void *fm_abi_stress_split(void *plain, uint64_t type);
void fm_abi_stress_wait(fm_task *t);
void fm_abi_stress_handler(const void *handler, int32_t is_action);
void fm_abi_stress_save(void *room);
void fm_abi_stress_restore(const void *room);
void *fm__stress_point(uint32_t site, uint32_t density)
    SPLIT("fm_abi_stress_point");
#pragma GCC visibility pop

/* A child of fork goes on; behind the loop's own note of the fork. */
static void
fork_watch(void)
{
    static _Atomic bool watched;

    fm__executor_here();
    if (!atomic_exchange(&watched, true))
        fm__sys_at_fork(fm_atfork_child);
}

void *
fm__stress_point(uint32_t site, uint32_t density)
{
    static _Thread_local uint32_t count;
    uint32_t h = (count ^ site) * 2654435761u;

    if (!count++)
        fork_watch();
    if ((h ^ h >> 15) % density)
        return NULL;
    return fm__yield();
}

/* The split function of that type behind a plain address, or null. */
void *
fm_abi_stress_split(void *plain, uint64_t type)
{
    /* Not of the thread: the room for thread-locals of a library that is
     * loaded late is small. Relaxed: rows are constant, any of them will do. */
    static const struct row *_Atomic recent[256];
    const struct row *_Atomic *slot = &recent[((uintptr_t)plain >> 4) % 256];
    const struct row *row = atomic_load_explicit(slot, memory_order_relaxed);

    if (!row || row->plain != plain) {
        for (row = &first; row < &last && row->plain != plain; row++)
            ;
        if (row >= &last)
            return NULL;
        atomic_store_explicit(slot, row, memory_order_relaxed);
    }
    return row->type == type ? row->split : NULL;
}

/* A handler that is about to be set (in a struct sigaction it comes first). Its
 * own unit would have left it plain. */
void
fm_abi_stress_handler(const void *handler, int32_t is_action)
{
    if (is_action && handler)
        handler = *(const void *const *)handler;
    for (const struct row *row = &first; row < &last; row++)
        if (row->plain == handler) {
            fm__sys_say("fermata: -ffermata-stress has converted a handler of "
                        "signals that another unit sets");
            return;
        }
}

/* What the thread runs: set aside while its loop is driven once more, and
 * found again by who is jumped back to. */
struct state {
    struct root *root;
    struct scope *context;
    fm_executor *executor;
    uint32_t nested;
    bool in_job;
};
_Static_assert(sizeof(struct state) <= 8 * FM_ABI_STRESS_WORDS,
               "compiled code makes room for a state");

void
fm_abi_stress_save(void *room)
{
    struct thread *th = &fm__thread;
    struct state *s = room;

    *s = (struct state){th->root, th->context, th->executor, th->nested,
                        th->in_job};
}

void
fm_abi_stress_restore(const void *room)
{
    struct thread *th = &fm__thread;
    const struct state *s = room;

    th->root = s->root;
    th->context = s->context;
    th->executor = s->executor;
    th->nested = s->nested;
    th->in_job = s->in_job;
}

/* A plain entry may be called below async code (qsort's callback). It may be
 * left by a jump: then nothing will ever end its task. */
void
fm_abi_stress_wait(fm_task *t)
{
    struct thread *th = &fm__thread;
    struct state outer;

    fm_abi_stress_save(&outer);
    fm__rest_is_left = true;
    th->root = NULL;
    th->context = NULL;
    th->in_job = false;
    th->nested %= ARMING;
    fm_abi_wait(t);
    fm_abi_stress_restore(&outer);
}

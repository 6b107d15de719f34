/* ending.c: what still runs on an executor that is about to be freed.
 *
 * As at main's end: its tasks are cancelled and waited for, FERMATA_EXIT_MS
 * (5,000) at most; what then still runs is told of and left. For executors
 * with a thread of their own: nobody else need do anything for their tasks to
 * end. */
#include "runtime/entry.h"

enum { SOME = 256 };

/* Some of its tasks at a time, each with a reference. */
struct ending {
    const fm_executor *executor;
    size_t count, left;
    struct task *tasks[SOME];
};

static bool
concerns(const struct ending *e, struct task *t)
{
    return fm__load(&t->executor) == e->executor->id &&
           task_state(t) == FM_RUNNING;
}

/* A task that is no concern of ours may have lost its last other reference
 * meanwhile: it is kept too, as nothing can be freed during the walk. */
static void
ending_add(struct task *t, void *arg)
{
    struct ending *e = arg;
    uint32_t refs = fm__load(&t->refs);

    if (e->count < SOME && (concerns(e, t) || (refs & ~REFS_SOURCE) == 1)) {
        e->tasks[e->count++] = t;
        return;
    }
    e->left += concerns(e, t);
    fm__sub(&t->refs, 1);
}

/* False: the time is over. */
static bool
ending_wait(const struct ending *e, int64_t limit)
{
    _Atomic uint32_t none = 0;

    for (size_t i = 0; i < e->count; i++)
        while (concerns(e, e->tasks[i])) {
            if (fm_now() > limit)
                return false;
            fm__sys_word_wait(&none, 0, FM_US(200));
        }
    return true;
}

/* Cancels and waits for what there is. Returns how many are left. */
static size_t
ending_round(struct ending *e, int64_t limit)
{
    size_t running = 0;

    e->count = e->left = 0;
    fm__task_each(ending_add, e);
    for (size_t i = 0; i < e->count; i++)
        if (concerns(e, e->tasks[i])) {
            running++;
            fm_abi_cancel(task_handle(e->tasks[i]));
        }
    if (running && ending_wait(e, limit))
        running = 1; /* those may have started others */
    for (size_t i = 0; i < e->count; i++)
        fm__task_release(e->tasks[i]);
    return running + e->left;
}

void
fm_abi_executor_end(fm_executor *ex)
{
    long ms = fm__sys_env_number("FERMATA_EXIT_MS", 5000);
    int64_t limit = fm_now() + FM_MS(ms);
    struct ending e = {.executor = ex};
    size_t n;

    while ((n = ending_round(&e, limit)) && fm_now() <= limit)
        continue;
    if (n)
        fm__sys_say("fermata: fm_executor_free: %zu of its tasks did not end "
                    "and are left",
                    n);
}

/* source.c: tasks that are completed by hand, and completed tasks.
 *
 * A source lies behind its task's result, in one block. It holds one reference
 * to the task; the one that a chain would hold is dropped by the completion.
 * One exchange decides who completes it. */
#include <string.h>

#include "runtime/entry.h"

struct fm_source {
    struct task *task;
    _Atomic uint32_t refs;
    _Atomic uint8_t set;       /* 1: somebody completes it */
    bool queued;               /* awaiters are posted, never run in set */
};

/* Shared, never freed: 2^28 references to begin with. */
enum { FOR_EVER = 1 << 28 };

fm_task *
fm__task_no_memory(void)
{
    static struct task t = {.word = FM_FAULTED,
                            .refs = FOR_EVER,
                            .sync = SYNC_OBSERVED,
                            .job.run = (void (*)(fm_job *))&fm__no_memory};

    fm__sys_alloc_told();
    return fm_abi_retain(task_handle(&t));
}

static size_t
result_room(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

/* Behind the result; its place is kept in the record's next, which a task
 * without a chain does not need. */
fm_source *
fm_abi_source_new(size_t bytes, bool queued)
{
    size_t at = FM_ABI_RESULT + result_room(bytes);
    struct task *t = fm__task_block_new(at + sizeof(fm_source));
    fm_source *s;

    if (!t)
        return NULL;
    fm__task_init(t);
    fm__add(&t->refs, REFS_SOURCE);
    s = (fm_source *)(void *)((char *)&t->record + at);
    t->record.next = (struct fm_record *)(void *)s;
    s->task = t;
    s->queued = queued;
    fm__store(&s->set, 0);
    fm__store(&s->refs, 1);
    return s;
}

static void
source_end(fm_source *s, void *fault, bool queued)
{
    struct task *next = fm__task_finish(s->task, fault);

    if (!next)
        return;
    if (queued || s->queued)
        fm__task_post(next);
    else
        fm__resume_chain(next);
}

static bool
source_claim(fm_source *s)
{
    return !(fm__or(&s->set, 1) & 1);
}

/* The source may be gone once its task has woken somebody: hence the extra
 * reference. */
static bool
source_finish(fm_source *s, void *fault)
{
    fm__add(&s->refs, 1);
    source_end(s, fault, false);
    fm_abi_source_release(s);
    return true;
}

bool
fm_abi_source_set(fm_source *s, const void *value, size_t bytes)
{
    if (!s || !source_claim(s))
        return false;
    if (bytes)
        memcpy((char *)&s->task->record + FM_ABI_RESULT, value, bytes);
    return source_finish(s, NULL);
}

bool
fm_abi_source_fail(fm_source *s, fm_fault *f)
{
    if (!s || !source_claim(s))
        return false;
    return source_finish(s, fault_tag(fm_fault_retain(f)));
}

bool
fm_abi_source_cancel(fm_source *s)
{
    if (!s || !source_claim(s))
        return false;
    return source_finish(
        s, fault_tag(fm__fault_make(FM__ECANCELED, NULL, "cancelled")));
}

/* fm_cancel on a source's task: nobody's code can be asked to stop, so it
 * ends; awaiters are queued, as they never run inside a canceller. */
void
fm__source_cancel_task(struct task *t)
{
    fm_source *s = (fm_source *)(void *)t->record.next;

    if (source_claim(s))
        source_end(s,
                   fault_tag(fm__fault_make(FM__ECANCELED, NULL, "cancelled")),
                   true);
}

fm_task *
fm_abi_source_task(fm_source *s)
{
    return s ? fm_abi_retain(task_handle(s->task)) : fm__task_no_memory();
}

fm_source *
fm_abi_source_retain(fm_source *s)
{
    if (s)
        fm__add(&s->refs, 1);
    return s;
}

void
fm_abi_source_release(fm_source *s)
{
    struct task *t;

    if (!s || fm__sub(&s->refs, 1) != 1)
        return;
    t = s->task;
    if (source_claim(s))
        source_end(
            s, fault_tag(fm__fault_make(FM__ECANCELED, NULL, "source dropped")),
            false);
    fm__task_release(t);
}

/* ---- completed tasks ----------------------------------------------------------- */

enum { SHARED_MIN = -1, SHARED_MAX = 14 };

/* Small values are shared. */
#define SHARED(v) {{.word = FM_DONE, .refs = FOR_EVER}, (v)}
static struct {
    struct task task;
    int64_t value;
} shared[SHARED_MAX - SHARED_MIN + 1] = {
    SHARED(-1), SHARED(0),  SHARED(1),  SHARED(2),  SHARED(3), SHARED(4),
    SHARED(5),  SHARED(6),  SHARED(7),  SHARED(8),  SHARED(9), SHARED(10),
    SHARED(11), SHARED(12), SHARED(13), SHARED(14),
};

static struct task *
find_shared(const void *result, size_t bytes)
{
    size_t n = sizeof shared / sizeof shared[0];

    if (bytes > sizeof(int64_t))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (!bytes || !memcmp(&shared[i].value, result, bytes))
            return &shared[i].task;
    return NULL;
}

fm_task *
fm_abi_completed(const void *result, size_t bytes)
{
    struct task *t = find_shared(result, bytes);

    if (t)
        return fm_abi_retain(task_handle(t));
    t = fm__task_block_new(FM_ABI_RESULT + result_room(bytes));
    if (!t)
        return fm__task_no_memory();
    fm__task_init(t);
    memcpy((char *)&t->record + FM_ABI_RESULT, result, bytes);
    fm__task_finish(t, NULL);
    return task_handle(t);
}

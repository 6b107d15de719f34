/* ground.c: what the runtime stands on, for the explorer: memory that knows
 * what is freed, executors that are queues, no clock. */
#include "ground.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---------------------------------------------------------------- */

/* Full and empty at once: every block comes through the slow way. */
enum { SLOTS = FM_ABI_FREE_STACK / sizeof(void *) };
static _Alignas(FM_ABI_FREE_STACK) void *no_blocks[SLOTS];
FAST_TLS struct fm_free fm_abi_free[FM_ABI_FREE_MAX / 8 + 1] = {
    [0 ... FM_ABI_FREE_MAX / 8] = {no_blocks + SLOTS}};
extern FAST_TLS struct fm_free fm_abi_free_again[FM_ABI_FREE_MAX / 8 + 1]
    __attribute__((alias("fm_abi_free")));
static struct fm_free no_lists[TASK_CLASSES] = {
    [0 ... TASK_CLASSES - 1] = {no_blocks + SLOTS}};
FAST_TLS struct thread fm__thread = {.task_lists = no_lists};
void *model_tls;
size_t model_tls_bytes = sizeof(struct thread);
fm_executor *fm__executors[EXECUTORS_MAX];
struct lock fm__locks[LOCKS];

void *
fm_abi_record_new(size_t bytes)
{
    return model_alloc(bytes);
}

void
fm_abi_record_free(void *record, size_t bytes)
{
    (void)bytes;
    model_free(record);
}

void
fm__record_give_slow(void *record, size_t bytes)
{
    fm_abi_record_free(record, bytes);
}

void *
fm__record_new(size_t bytes)
{
    return model_alloc(bytes);
}

void *
fm__record_must(size_t bytes)
{
    return model_alloc(bytes);
}

struct task *
fm__task_block_new_slow(size_t record_bytes)
{
    struct task *t = model_alloc(TASK_BEFORE + record_bytes);

    memset(t, 0, TASK_BEFORE);
    return t;
}

struct task *
fm__task_block_starved(size_t record_bytes)
{
    return fm__task_block_new_slow(record_bytes);
}

void
fm__task_block_free(struct task *t)
{
    model_free(t);
}

struct linked
fm_abi_link(void *callee, const struct fm_point *p)
{
    struct fm_record *r;

    if ((uintptr_t)callee & FM_ABI_FAULT_BIT)
        return (struct linked){fault_pass(callee, p), NULL};
    r = model_alloc(p->size);
    r->point = p;
    ((struct fm_record *)callee)->next = r;
    return (struct linked){r, r};
}

void
fm__reserve_refill(void)
{
}

void
fm__thread_start(void)
{
}

void *
fm__sys_alloc(size_t bytes)
{
    return model_alloc(bytes);
}

void *
fm__sys_alloc_zeroed(size_t bytes)
{
    return memset(model_alloc(bytes), 0, bytes);
}

void *
fm__sys_alloc_aligned(size_t align, size_t bytes)
{
    (void)align; /* all blocks are aligned to 16 */
    return model_alloc(bytes);
}

void
fm__sys_free(void *p)
{
    model_free(p);
}

void
fm__sys_alloc_told(void)
{
}

/* ---- executors --------------------------------------------------------------- */

struct queue queues[THREADS_MAX];
static fm_executor executors[THREADS_MAX];

static void
post(void *arg, fm_job *job)
{
    struct queue *q = arg;

    model_step(&q->first, true);
    job->next = NULL;
    *q->last = job;
    q->last = &job->next;
}

static bool
is_current(void *arg)
{
    return arg == &queues[model_self()];
}

static void
timer_start(void *arg, fm_timer *t)
{
    (void)arg;
    (void)t;
}

static bool
timer_stop(void *arg, fm_timer *t)
{
    (void)arg;
    (void)t;
    return true;
}

static const fm_executor_vtable table = {.post = post,
                                         .is_current = is_current,
                                         .timer_start = timer_start,
                                         .timer_stop = timer_stop};

static void
yield_shared(fm_job *job)
{
    post(&queues[0], job);
}

static int error;

void
ground_reset(bool shared)
{
    model_tls = &fm__thread;
    memset(queues, 0, sizeof queues);
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        queues[i].last = &queues[i].first;
        executors[i] = (fm_executor){.vtable = &table,
                                     .arg = &queues[shared ? 0 : i],
                                     .yield = shared ? yield_shared : NULL,
                                     .id = (uint16_t)(i + 1)};
        fm__executors[i + 1] = &executors[i];
    }
    fm__thread.executor = &executors[0];
    fm__thread.error = &error;
    fm__thread.budget = BUDGET;
    fm__thread.root = NULL;
    fm__thread.context = NULL;
}

void
ground_on(unsigned i)
{
    fm__thread.executor = &executors[i];
    fm__thread.root = NULL;
    fm__thread.context = NULL;
    fm__thread.nested = 0;
    fm__thread.in_job = false;
}

static fm_job *
take(struct queue *q)
{
    fm_job *job = q->first;

    if (job && !(q->first = job->next))
        q->last = &q->first;
    return job;
}

void
ground_drive(void)
{
    struct queue *q = fm__thread.executor->arg;
    fm_job *job;

    while (model_wait((void *const volatile *)(void *)&q->first))
        if ((job = take(q)))
            fm_job_run(job);
}

fm_executor *
fm__executor_default(void)
{
    return fm__thread.executor;
}

fm_executor *
fm__executor_timers(fm_executor *ex)
{
    return ex;
}

int64_t
fm_now(void)
{
    return 0;
}

/* ---- words ---------------------------------------------------------------------- */

struct fm_place
fm__point_place(const struct fm_point *p)
{
    (void)p;
    return (struct fm_place){"", "", 0};
}

void
fm__point_each(const struct fm_point *p, enum fm__extent extent,
               void (*fn)(void *arg, const struct fm_place *place), void *arg)
{
    (void)p;
    (void)extent;
    (void)fn;
    (void)arg;
}

void
fm__say_place(void *arg, const struct fm_place *place)
{
    (void)arg;
    (void)place;
}

void
fm__die(const char *fmt, ...)
{
    char text[300];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    model_fail("%s", text);
}

void
fm__sys_say(const char *fmt, ...)
{
    (void)fmt;
}

const char *
fm__sys_error_name(int code)
{
    (void)code;
    return "";
}

void
fm_abi_wait(fm_task *t)
{
    (void)t; /* no scenario waits in ordinary C */
    fm__die("fm_abi_wait");
}

void
fm_abi_task_name(fm_task *t, const char *name)
{
    (void)t;
    (void)name;
}

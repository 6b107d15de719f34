/* combine.c: waiting for all of several tasks, or for the first of them.
 *
 * Each task gets a node of the group on its list of waiters; whoever ends a
 * task runs the node. A wait that is given up takes its nodes off again; a
 * node that is being run meanwhile is waited for, or keeps the group alive. */
#include "runtime/entry.h"

struct group;

struct part {
    fm_job job;
    struct group *group;
};

/* all: `left` counts nodes that have not run, and one for the arming.
 * any: `winner` is decided once; `left` counts who may still touch it. */
struct group {
    fm_task **tasks; /* a copy, behind the parts: the caller's array may lie
                        in a block that is left meanwhile */
    size_t count;
    fm_waiter *waiter;
    _Atomic uint32_t left;
    _Atomic uintptr_t winner;
    struct part parts[];
};

/* The frame also meets NOBODY, where a wait that was not armed is given up. */
static const uintptr_t NOBODY = UINTPTR_MAX, GIVEN_UP = UINTPTR_MAX - 1;

static size_t
group_bytes(size_t n)
{
    return sizeof(struct group) + n * (sizeof(struct part) + sizeof(fm_task *));
}

static struct group *
group_new(fm_task *const *tasks, size_t n, void (*run)(fm_job *))
{
    struct group *g =
        n > UINT32_MAX / 64 ? NULL : fm__record_new(group_bytes(n));

    if (!g)
        return NULL;
    g->tasks = (fm_task **)(void *)&g->parts[n];
    for (size_t i = 0; i < n; i++)
        g->tasks[i] = tasks[i];
    g->count = n;
    g->waiter = NULL;          /* not armed yet */
    fm__store(&g->left, (uint32_t)n + 1);
    atomic_store_explicit(&g->winner, NOBODY, memory_order_relaxed);
    for (size_t i = 0; i < n; i++) {
        g->parts[i].job.run = run;
        g->parts[i].group = g;
    }
    return g;
}

static void
group_free(struct group *g)
{
    fm_abi_record_free(g, group_bytes(g->count));
}

/* ---- the frames ----------------------------------------------------------- */

struct frame {
    struct fm_record record;
    uint8_t resumed; /* fm_suspend_until's result */
    struct group *group;
};
_Static_assert(sizeof(struct frame) == 32, "what the points say");

#define POINT(name, resume, function)                                          \
    extern const struct fm_point name __attribute__((visibility("hidden")));   \
    __asm__(".pushsection .rodata." #name ",\"a\",@progbits\n"                 \
            ".balign 4\n.globl " #name "\n.hidden " #name "\n" #name ":\n"     \
            ".long " #resume " - .\n.long 0, 32, 1\n"                          \
            ".long 1f - .\n"                                                   \
            "1: .long 2f - .\n.long 0, 0, 0, 0\n"                              \
            "2: .asciz \"" function "\"\n.popsection\n")
POINT(fm__all_point, all_resume, "fm_all");
POINT(fm__any_point, any_resume, "fm_any");

/* Suspends on the group; returns the end of the ramp. */
static void *
group_wait(struct group *g, fm_arm *arm, fm_disarm *disarm,
           const struct fm_point *point)
{
    struct split_bool s = fm__suspend_until(arm, disarm, g);
    struct frame *f;

    if (!s.end || is_fault(s.end)) {
        group_free(g);
        return s.end ? s.end : fault_tag(fm__cancel_fault());
    }
    f = fm_abi_link(s.end, point).record;
    f->group = g;
    return f;
}

/* ---- all --------------------------------------------------------------------- */

static bool
all_ended(fm_task *const *tasks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fm_abi_status(tasks[i]) == FM_RUNNING)
            return false;
    return true;
}

/* The first fault, with the others as its causes. So many: a list grows at
 * its end. */
static void *
all_outcome(fm_task *const *tasks, size_t n)
{
    size_t causes = 0;
    void *end = NULL;

    for (size_t i = 0; i < n; i++) {
        struct task *t = task_of(tasks[i]);
        void *fault;
        if (task_state(t) == FM_DONE)
            continue;
        fault = fm__task_raise(t, false);
        if (!end)
            end = fault;
        else if (causes++ < CAUSES_MAX)
            end = fm_abi_fault_join(end, fault);
        else
            fm_fault_release(fault_untag(fault));
    }
    return end;
}

static void
all_part(struct group *g, uint32_t n)
{
    fm_waiter *waiter = g->waiter;

    if (fm__sub(&g->left, n) == n)
        fm_resume(waiter);
}

static void
all_run(fm_job *job)
{
    all_part(((struct part *)(void *)job)->group, 1);
}

static void
all_arm(fm_waiter *waiter, void *arg)
{
    struct group *g = arg;
    uint32_t over = 1;

    g->waiter = waiter;
    for (size_t i = 0; i < g->count; i++)
        over += !fm__task_listen(task_of(g->tasks[i]), &g->parts[i].job);
    all_part(g, over);
}

static bool
all_disarm(fm_waiter *waiter, void *arg)
{
    struct group *g = arg;
    uint32_t off = 0;

    (void)waiter;
    for (size_t i = 0; i < g->count; i++)
        off += fm__task_unlisten(task_of(g->tasks[i]), &g->parts[i].job);
    /* If nodes are being run, the last of them resumes. */
    return off && fm__sub(&g->left, off) == off;
}

__attribute__((used)) static void *
all_resume(struct fm_record *record, void *fault)
{
    struct frame *f = (struct frame *)record;
    struct group *g = f->group;
    void *end = fault;

    if (!end && all_ended(g->tasks, g->count))
        end = all_outcome(g->tasks, g->count);
    else if (!end)
        end = fault_tag(fm__cancel_fault());
    group_free(g);
    return end;
}

void *
fm__all(fm_task *const *tasks, size_t n)
{
    struct group *g;

    if (fm__cancel_pending())
        return fault_tag(fm__cancel_fault());
    if (all_ended(tasks, n))
        return all_outcome(tasks, n);
    g = group_new(tasks, n, all_run);
    if (!g)
        return fm_abi_enomem();
    return group_wait(g, all_arm, all_disarm, &fm__all_point);
}

/* ---- any ------------------------------------------------------------------------ */

static void
any_drop(struct group *g, uint32_t n)
{
    if (n && fm__sub(&g->left, n) == n)
        group_free(g);
}

static bool
any_decide(struct group *g, uintptr_t who)
{
    uintptr_t nobody = NOBODY;

    return atomic_compare_exchange_strong(&g->winner, &nobody, who);
}

static void
any_run(fm_job *job)
{
    struct part *p = (struct part *)(void *)job;
    struct group *g = p->group;

    if (any_decide(g, (uintptr_t)(p - g->parts)))
        fm_resume(g->waiter);
    any_drop(g, 1);
}

static void
any_arm(fm_waiter *waiter, void *arg)
{
    struct group *g = arg;
    size_t i = 0;

    g->waiter = waiter;
    while (i < g->count &&
           fm__task_listen(task_of(g->tasks[i]), &g->parts[i].job))
        i++;
    if (i < g->count) {
        uint32_t rest = (uint32_t)(g->count - i);
        bool won = any_decide(g, i);
        any_drop(g, rest); /* the frame's own is left */
        if (won)
            fm_resume(waiter);
    }
}

static bool
any_disarm(fm_waiter *waiter, void *arg)
{
    (void)waiter;
    return any_decide(arg, GIVEN_UP);
}

static void
any_leave(struct group *g)
{
    uint32_t off = 1;

    if (!g->waiter) {
        group_free(g);
        return;
    }
    for (size_t i = 0; i < g->count; i++)
        off += fm__task_unlisten(task_of(g->tasks[i]), &g->parts[i].job);
    any_drop(g, off);
}

__attribute__((used)) static void *
any_resume(struct fm_record *record, void *fault)
{
    struct frame *f = (struct frame *)record;
    struct group *g = f->group;
    uintptr_t winner = fm__load_acquire(&g->winner);
    void *end = fault;

    any_leave(g);
    if (!end && winner >= GIVEN_UP)
        end = fault_tag(fm__cancel_fault());
    if (!end)
        *(size_t *)(void *)((char *)f->record.next + FM_ABI_RESULT) = winner;
    return end;
}

struct split_size
fm__any(fm_task *const *tasks, size_t n)
{
    struct group *g;

    if (fm__cancel_pending())
        return (struct split_size){0, fault_tag(fm__cancel_fault())};
    for (size_t i = 0; i < n; i++)
        if (fm_abi_status(tasks[i]) != FM_RUNNING)
            return (struct split_size){i, NULL};
    if (!n)
        return (struct split_size){
            0,
            fault_tag(fm__fault_make(FM__EINVAL, NULL, "fm_any: of no tasks"))};
    g = group_new(tasks, n, any_run);
    if (!g)
        return (struct split_size){0, fm_abi_enomem()};
    return (struct split_size){
        0, group_wait(g, any_arm, any_disarm, &fm__any_point)};
}

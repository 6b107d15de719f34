/* cont.c: the memory of records and tasks.
 *
 * Gives: blocks of a size class, from free lists of the thread. The lists are
 * bounded; what is over goes back to the slab it came from (slab.c), whatever
 * thread that was. So a block may be freed on any thread.
 *
 * Under ASan, and while allocations are being failed, every block is malloced
 * by itself (`loose`), as are blocks that are too large for a class. */
#include <string.h>

#include "runtime/audit.h"
#include "runtime/entry.h"
#include "runtime/slab.h"

enum { SLAB_BYTES = FM_SLAB_BYTES, BATCH = 16 };

/* Compiled code takes from and gives to the first RECORD_CLASSES of these. */
enum { STACK = FM_ABI_FREE_STACK / sizeof(void *) };
static _Alignas(FM_ABI_FREE_STACK) void *no_blocks[STACK]; /* full and empty */
FM_EXPORT FAST_TLS struct fm_free fm_abi_free[RECORD_CLASSES] = {
    [0 ... RECORD_CLASSES - 1] = {no_blocks + STACK}};
FM_EXPORT extern FAST_TLS struct fm_free fm_abi_free_again[RECORD_CLASSES]
    __attribute__((alias("fm_abi_free")));
/* Of a thread that has not started, never written. */
static const struct fm_free no_lists[TASK_CLASSES] = {
    [0 ... TASK_CLASSES - 1] = {no_blocks + STACK}};

static struct loose *loose_tasks;

/* ---- classes ------------------------------------------------------------ */

static struct fm_free *
class_list(uint32_t c)
{
    return class_is_task(c) ? &fm__thread.task_lists[c - RECORD_CLASSES]
                            : &fm_abi_free[c];
}

static size_t
class_bound(uint32_t c)
{
    size_t n = SLAB_BYTES / class_bytes(c);

    return n >= STACK ? STACK - 1 : n < 4 * BATCH ? 4 * BATCH : n;
}

/* ---- between a thread's list and the depot ---------------------------------- */

/* Gives the list a stack, if there is memory. Its lower end, which is never
 * written, stays null. */
static void
stack_start(struct fm_free *list, uint32_t class)
{
    struct thread *th = &fm__thread;
    void *slab;

    if (list->top != no_blocks + STACK ||
        (class_is_task(class) && th->task_lists == no_lists))
        return;
    if (!th->stacks || th->stacks_used == SLAB_BYTES) {
        slab = fm__sys_slab_new(false);
        if (!slab)
            return;
        *(void **)slab = th->stacks;
        th->stacks = slab;
        th->stacks_used = FM_ABI_FREE_STACK;
    }
    th->stacks_used += FM_ABI_FREE_STACK;
    list->top =
        (void **)((char *)th->stacks + th->stacks_used) - class_bound(class);
}

static void
stacks_free(void)
{
    struct thread *th = &fm__thread;

    while (th->stacks) {
        void *slab = th->stacks;
        th->stacks = *(void **)slab;
        fm__sys_slab_free(slab);
    }
    for (uint32_t c = 1; c < RECORD_CLASSES; c++)
        class_list(c)->top = no_blocks + STACK;
    if (th->task_lists != no_lists)
        fm__sys_free(th->task_lists);
    th->task_lists = (struct fm_free *)no_lists;
}

static void
task_lists_start(void)
{
    struct fm_free *lists = fm__sys_alloc(sizeof no_lists);

    if (!lists)
        return;
    memcpy(lists, no_lists, sizeof no_lists);
    fm__thread.task_lists = lists;
}

/* The list is empty: takes a batch from the depot. Returns one block. */
__attribute__((noinline)) static void *
refill(uint32_t class)
{
    void *batch[1 + BATCH];
    struct fm_free *list;
    size_t n;

    fm__thread_start();
    list = class_list(class);
    stack_start(list, class);
    n = fm__blocks_take(class, batch, free_is_full(list) ? 1 : 1 + BATCH);
    if (!n)
        return NULL;
    while (n > 1)
        *list->top++ = batch[--n];
    return batch[0];
}

/* Gives at most `n` of the list's blocks to the depot. */
__attribute__((noinline)) static void
spill(uint32_t class, size_t n)
{
    struct fm_free *list = class_list(class);
    void **end = list->top;

    for (; n && list->top[-1]; n--)
        list->top--;
    fm__blocks_give(class, list->top, (size_t)(end - list->top));
}

/* The list is full, or has no stack yet. */
static void
give_slow(uint32_t class, void *block)
{
    struct fm_free *list;

    fm__thread_start();
    list = class_list(class); /* the start may have made it */
    stack_start(list, class);
    if (free_is_full(list) && list->top[-1])
        spill(class, class_bound(class) / 2);
    if (!free_is_full(list))
        *list->top++ = block;
    else
        fm__blocks_give(class, &block, 1);
}

/* ---- the reserve -------------------------------------------------------------- */

/* Reserves of threads that have ended, for new ones; linked by next. */
static struct slab *reserves;

static void
reserve_use(struct slab *s)
{
    fm__thread.reserve = s->bump;
    fm__thread.reserve_end = (char *)s + SLAB_BYTES;
}

/* What is left of a reserve that was used stays so: it holds live blocks. */
void
fm__reserve_refill(void)
{
    struct thread *th = &fm__thread;
    struct slab *s;

    if (th->reserve && th->reserve_end - th->reserve >= SLAB_BYTES / 2)
        return;
    s = fm__sys_slab_new(false);
    if (!s)
        return;
    s->class = MIXED;
    s->bump = (char *)s + SLAB_HEAD;
    reserve_use(s);
}

static void
reserve_start(void)
{
    struct slab *s;

    lock_take(&fm__locks[LOCK_RESERVES]);
    s = reserves;
    if (s)
        reserves = s->next;
    lock_give(&fm__locks[LOCK_RESERVES]);
    if (s)
        reserve_use(s);
    fm__reserve_refill();
}

static void
reserve_end(void)
{
    char *p = fm__thread.reserve;
    struct slab *s;

    if (!p)
        return;
    fm__thread.reserve = NULL;
    s = slab_of(p - 1);
    s->bump = p;
    lock_take(&fm__locks[LOCK_RESERVES]);
    s->next = reserves;
    reserves = s;
    lock_give(&fm__locks[LOCK_RESERVES]);
}

static void *
reserve_take(size_t bytes)
{
    struct thread *th = &fm__thread;
    char *p = th->reserve;

    bytes = (bytes + 15) & ~(size_t)15;
    th->starved = true;
    if (th->root) { /* a yield does not simply go on */
        th->root->starved = true;
        th->root->turns = 0;
    }
    if (!p || (size_t)(th->reserve_end - p) < bytes)
        fm__die("out of memory, and the reserve of this thread is used up");
    th->reserve += bytes;
    return p;
}

/* ---- loose blocks ---------------------------------------------------------------- */

static void *
loose_new(size_t bytes, bool reserve)
{
    struct loose *l = reserve ? reserve_take(sizeof *l + bytes)
                              : fm__sys_alloc(sizeof *l + bytes);

    if (!l)
        return NULL;
    l->bytes = bytes;
    l->reserve = reserve;
#ifdef FM_CHECK
    fm__audit_born(l);
#endif
    return l + 1;
}

static void
loose_free(void *p)
{
    struct loose *l = loose_of(p);

#ifdef FM_CHECK
    fm__audit_dead(l);
#else
    if (!l->reserve)
        fm__sys_free(l);
#endif
}

/* ---- records ---------------------------------------------------------------------- */

static bool
record_is_loose(size_t bytes)
{
    return bytes > FM_ABI_FREE_MAX || fm__sys_plain_malloc();
}

__attribute__((noinline)) static void *
record_new_slow(size_t bytes)
{
    fm__thread_start();
    return record_is_loose(bytes) ? loose_new(bytes, false)
                                  : refill((uint32_t)(bytes / 8));
}

FM_EXPORT void *
fm_abi_record_new(size_t bytes)
{
    void *block;

    bytes = (bytes + 7) & ~(size_t)7;
    block = record_take(bytes);
    return likely(block != NULL) ? block : record_new_slow(bytes);
}

__attribute__((noinline)) void
fm__record_give_slow(void *record, size_t bytes)
{
    if (record_is_loose(bytes))
        loose_free(record);
    else
        give_slow((uint32_t)(bytes / 8), record);
}

FM_EXPORT void
fm_abi_record_free(void *record, size_t bytes)
{
    record_give(record, (bytes + 7) & ~(size_t)7);
}

void *
fm__record_new(size_t bytes)
{
    return fm_abi_record_new(bytes);
}

/* From the reserve if it must be: the suspension goes on and is then failed. */
__attribute__((noinline)) static void *
record_must_slow(size_t bytes)
{
    void *p = record_new_slow(bytes);

    if (likely(p != NULL))
        return p;
    return record_is_loose(bytes) ? loose_new(bytes, true)
                                  : reserve_take(bytes);
}

void *
fm__record_must(size_t bytes)
{
    void *p;

    bytes = (bytes + 7) & ~(size_t)7;
    p = record_take(bytes);
    return likely(p != NULL) ? p : record_must_slow(bytes);
}

static inline struct linked
link_twice(void *record)
{
    return (struct linked){record, record};
}

__attribute__((noinline)) static struct linked
pass_slow(void *fault, const struct fm_point *p)
{
    return link_twice(fault_pass(fault, p));
}

/* A fault that only this chain has, as far as there is room in its trace. */
static inline struct linked
link_passes(void *fault, const struct fm_point *p)
{
    fm_fault *f = fault_untag(fault);
    size_t n = f->passed;

    if (unlikely(!fault_is_ours(f)) || unlikely(n >= TRACE_FIRST))
        return pass_slow(fault, p);
    f->first[n] = p;
    f->passed = n + 1;
    return link_twice(fault);
}

__attribute__((noinline)) static struct linked
link_slow(void *callee_record, const struct fm_point *p)
{
    struct fm_record *callee = callee_record, *r;

    r = record_must_slow(p->size);
    r->point = p;
    callee->next = r;
    return link_twice(r);
}

FM_EXPORT struct linked
fm_abi_link(void *callee_record, const struct fm_point *p)
{
    struct fm_record *callee = callee_record, *r;

    if (unlikely(is_fault(callee_record)))
        return link_passes(callee_record, p);
    if (unlikely(!(r = record_take(p->size))))
        return link_slow(callee_record, p);
    r->point = p;
    callee->next = r;
    return link_twice(r);
}

/* ---- tasks -------------------------------------------------------------------------- */

static uint32_t
task_class(size_t record_bytes)
{
    return RECORD_CLASSES + (uint32_t)((TASK_BEFORE + record_bytes + 7) / 8);
}

/* Loose tasks are on a list, as no slab tells of them. */
static struct task *
task_loose_new(size_t record_bytes, bool reserve)
{
    char *p = loose_new(TASK_BEFORE + record_bytes, reserve);
    struct loose *l;
    struct task *t;

    if (!p)
        return NULL;
    t = (struct task *)(void *)p;
    fm__store(&t->refs, 0);
    t->sync = SYNC_LOOSE;
    l = (struct loose *)(void *)p - 1;
    lock_take(&fm__locks[LOCK_LOOSE]);
    l->prev = NULL;
    l->next = loose_tasks;
    if (l->next)
        l->next->prev = l;
    loose_tasks = l;
    lock_give(&fm__locks[LOCK_LOOSE]);
    return t;
}

static void
task_loose_free(struct task *t)
{
    struct loose *l = (struct loose *)(void *)t - 1;

    lock_take(&fm__locks[LOCK_LOOSE]);
    if (l->prev)
        l->prev->next = l->next;
    else
        loose_tasks = l->next;
    if (l->next)
        l->next->prev = l->prev;
    lock_give(&fm__locks[LOCK_LOOSE]);
    loose_free(t);
}

struct task *
fm__task_block_new_slow(size_t record_bytes)
{
    fm__thread_start();
    if (TASK_BEFORE + record_bytes > TASK_MAX || fm__sys_plain_malloc())
        return task_loose_new(record_bytes, false);
    return refill(task_class(record_bytes));
}

struct task *
fm__task_block_starved(size_t record_bytes)
{
    return task_loose_new(record_bytes, true);
}

/* The class is the slab's: the record's size is not known any more. */
void
fm__task_block_free(struct task *t)
{
    struct fm_free *list;

    if (unlikely(fm__load(&t->sync) & SYNC_LOOSE)) {
        task_loose_free(t);
        return;
    }
    list = task_list(slab_of(t)->bytes);
    if (unlikely(free_is_full(list)))
        give_slow(slab_of(t)->class, t);
    else
        *list->top++ = t;
}

void
fm__task_each(void (*fn)(struct task *t, void *arg), void *arg)
{
    fm__slabs_each_task(fn, arg);
    lock_take(&fm__locks[LOCK_LOOSE]);
    for (struct loose *l = loose_tasks; l; l = l->next) {
        struct task *t = (struct task *)(void *)(l + 1);
        if (fm__task_catch(t))
            fn(t, arg);
    }
    lock_give(&fm__locks[LOCK_LOOSE]);
}

#ifdef FM_CHECK
void
fm__loose_each(void (*fn)(struct loose *l, void *arg), void *arg)
{
    lock_take(&fm__locks[LOCK_LOOSE]);
    for (struct loose *l = loose_tasks; l; l = l->next)
        fn(l, arg);
    lock_give(&fm__locks[LOCK_LOOSE]);
}
#endif

/* ---- variable-size locals -------------------------------------------------------------- */

/* Before a block: the one that was newest before it, and what malloc gave. */
struct vla {
    void *older, *base;
};

/* Never fails: a scope whose cleanup has not been reached yet could not be
 * left rightly. As for a record, the reserve serves, and the next suspension
 * is failed with ENOMEM. */
FM_EXPORT void *
fm_abi_vla_new(void *head, size_t bytes, size_t align)
{
    char *base, *p;
    struct vla *v;
    bool own = true;

    if (align < 16)
        align = 16;
    if (bytes > SIZE_MAX / 2)
        fm__die("out of memory for an array of variable size");
    base = fm__sys_alloc(bytes + align + sizeof *v);
    if (unlikely(!base)) {
        own = false;
        base = reserve_take(bytes + align + sizeof *v);
    }
    p = (char *)(((uintptr_t)base + sizeof *v + align - 1) & ~(align - 1));
    v = (struct vla *)(void *)p - 1;
    v->older = head;
    v->base = own ? base : NULL;
    return p;
}

FM_EXPORT void
fm_abi_vla_free_to(void *head, void *to)
{
    while (head != to) {
        struct vla *v = (struct vla *)head - 1;
        head = v->older;
        if (likely(v->base != NULL))
            fm__sys_free(v->base);
    }
}

/* ---- threads ------------------------------------------------------------------------------ */

FAST_TLS struct thread fm__thread = {.task_lists = (struct fm_free *)no_lists,
                                     .alone = FM_ALONE};
FM_EXPORT extern FAST_TLS struct thread fm_abi_here
    __attribute__((alias("fm__thread")));

/* The thread ends. What it frees after this starts it anew. */
static void
thread_end(void)
{
    fm__thread.started = false;
    for (uint32_t c = 1; c < CLASSES; c++)
        if (class_list(c)->top[-1])
            spill(c, SIZE_MAX);
    stacks_free();
    reserve_end();
}

void
fm__thread_start(void)
{
    struct thread *th = &fm__thread;

    if (likely(th->started))
        return;
    th->started = true;
    th->error = fm__sys_errno();
    th->budget = BUDGET;
    task_lists_start();
    reserve_start();
    fm__sys_at_thread_end(thread_end);
}

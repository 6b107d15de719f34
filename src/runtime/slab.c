/* slab.c: where the blocks of records and tasks come from.
 *
 * A depot for each size class, shared by all threads, hands out blocks in
 * batches and takes back what is over. The trick: a slab is 64 KiB and aligned
 * to it, so that a block needs no header: its slab is found by masking the
 * address. A slab with no block out goes back to the system: a spike of a
 * million tasks leaves nothing. */
#include "runtime/slab.h"

enum { SLAB_BYTES = FM_SLAB_BYTES };

/* One a class. The lock is over everything in it and in its slabs. */
static struct depot {
    struct lock lock;
    struct slab *room, *all;
    void *odd; /* blocks that lie in a reserve's slab */
} depots[CLASSES];

/* A free task keeps its counters, which the walk over all tasks reads. */
static void **
block_link(uint32_t c, void *block)
{
    size_t at = class_is_task(c) ? offsetof(struct task, job.next) : 0;

    return (void **)(void *)((char *)block + at);
}

static bool
slab_can_bump(struct slab *s)
{
    return s->bump + class_bytes(s->class) <= (char *)s + SLAB_BYTES;
}

static void
room_add(struct depot *d, struct slab *s)
{
    s->has_room = true;
    s->prev = NULL;
    s->next = d->room;
    if (d->room)
        d->room->prev = s;
    d->room = s;
}

static void
room_remove(struct depot *d, struct slab *s)
{
    s->has_room = false;
    if (s->prev)
        s->prev->next = s->next;
    else
        d->room = s->next;
    if (s->next)
        s->next->prev = s->prev;
}

static struct slab *
slab_new(struct depot *d, uint32_t class)
{
    struct slab *s = fm__sys_slab_new(d->all != NULL);

    if (!s)
        return NULL;
    s->class = class;
    s->bytes = (uint32_t)class_bytes(class);
    s->bump = slab_first(s);
    s->all_next = d->all;
    if (d->all)
        d->all->all_prev = s;
    d->all = s;
    room_add(d, s);
    return s;
}

static void
slab_free(struct depot *d, struct slab *s)
{
    room_remove(d, s);
    if (s->all_prev)
        s->all_prev->all_next = s->all_next;
    else
        d->all = s->all_next;
    if (s->all_next)
        s->all_next->all_prev = s->all_prev;
    fm__sys_slab_free(s);
}

static void *
slab_take(struct depot *d, struct slab *s)
{
    void *block = s->free;

    if (block) {
        s->free = *block_link(s->class, block);
    } else {
        block = s->bump;
        s->bump += class_bytes(s->class);
        if (class_is_task(s->class))
            fm__store(&((struct task *)block)->refs, 0);
    }
    s->out++;
    if (!s->free && !slab_can_bump(s))
        room_remove(d, s);
    return block;
}

static void
slab_give(struct depot *d, uint32_t class, void *block)
{
    struct slab *s = slab_of(block);

    if (s->class == MIXED) {
        *block_link(class, block) = d->odd;
        d->odd = block;
        return;
    }
    *block_link(class, block) = s->free;
    s->free = block;
    s->out--;
    if (!s->has_room)
        room_add(d, s);
    /* One empty slab is kept: else a task at the edge would cost a malloc. */
    if (s->out == 0 && (d->room != s || s->next))
        slab_free(d, s);
}

/* A block of the depot, under its lock. `must`: a new slab if need be. */
static void *
depot_take(struct depot *d, uint32_t class, bool must)
{
    void *block = d->odd;

    if (block)
        d->odd = *block_link(class, block);
    else if (d->room || (must && slab_new(d, class)))
        block = slab_take(d, d->room);
    return block;
}

size_t
fm__blocks_take(uint32_t class, void **to, size_t n)
{
    struct depot *d = &depots[class];
    size_t got = 0;

    lock_take(&d->lock);
    while (got < n && (to[got] = depot_take(d, class, got == 0)))
        got++;
    lock_give(&d->lock);
    return got;
}

void
fm__blocks_give(uint32_t class, void **from, size_t n)
{
    struct depot *d = &depots[class];

    lock_take(&d->lock);
    while (n)
        slab_give(d, class, from[--n]);
    lock_give(&d->lock);
}

/* ---- the walk over all tasks ----------------------------------------------- */

bool
fm__task_catch(struct task *t)
{
    uint32_t refs = fm__load(&t->refs);

    while (refs & ~REFS_SOURCE)
        if (atomic_compare_exchange_weak(&t->refs, &refs, refs + 1))
            return true;
    return false;
}

static void
slab_each(struct slab *s, void (*fn)(struct task *, void *), void *arg)
{
    for (char *p = slab_first(s); p < s->bump; p += class_bytes(s->class)) {
        struct task *t = (struct task *)(void *)p;
        if (fm__task_catch(t))
            fn(t, arg);
    }
}

void
fm__slabs_each_task(void (*fn)(struct task *, void *), void *arg)
{
    for (uint32_t c = RECORD_CLASSES; c < CLASSES; c++) {
        lock_take(&depots[c].lock);
        for (struct slab *s = depots[c].all; s; s = s->all_next)
            slab_each(s, fn, arg);
        lock_give(&depots[c].lock);
    }
}

size_t
fm__slabs_bytes(void)
{
    size_t n = 0;

    for (uint32_t c = 1; c < CLASSES; c++) {
        lock_take(&depots[c].lock);
        for (struct slab *s = depots[c].all; s; s = s->all_next)
            n += FM_SLAB_BYTES;
        lock_give(&depots[c].lock);
    }
    return n;
}

void
fm__slabs_lock(void)
{
    for (uint32_t c = 1; c < CLASSES; c++)
        lock_take(&depots[c].lock);
}

void
fm__slabs_unlock(void)
{
    for (uint32_t c = 1; c < CLASSES; c++)
        lock_give(&depots[c].lock);
}

/* slab.h: blocks of a size class, and the slabs that they lie in. */
#ifndef FM_SLAB_H
#define FM_SLAB_H

#include "runtime/rt.h"

/* Compiled code takes from and gives to the lists of the first of these. */
enum {
    RECORD_CLASSES = FM_ABI_FREE_MAX / 8 + 1,
    CLASSES = RECORD_CLASSES + TASK_CLASSES,
    MIXED = CLASSES, /* the class of a reserve's slab */
};

/* Owned by its depot. out = 0 and no block in any thread's list: given up. */
struct slab {
    struct slab *next, *prev; /* slabs of the class that have room */
    struct slab *all_next, *all_prev; /* every slab of the class */
    void *free; /* blocks that came back */
    char *bump; /* never handed out from here on */
    uint32_t class;
    uint32_t bytes; /* of a block */
    uint32_t out; /* blocks handed out */
    bool has_room; /* it is on the room list */
};
enum { SLAB_HEAD = 64 };
_Static_assert(sizeof(struct slab) <= SLAB_HEAD, "a slab's head fits");
_Static_assert(FM_SLAB_BYTES == FM_ABI_SLAB &&
                   offsetof(struct slab, bytes) == FM_ABI_SLAB_SIZE,
               "what compiled code knows of a slab");

static inline bool
class_is_task(uint32_t c)
{
    return c >= RECORD_CLASSES;
}

static inline size_t
class_bytes(uint32_t c)
{
    return 8ul * (class_is_task(c) ? c - RECORD_CLASSES : c);
}

/* Records are 16-aligned where their size is a multiple of 16, a task's too,
 * which lies 32 bytes into its block. */
static inline char *
slab_first(struct slab *s)
{
    return (char *)s + SLAB_HEAD;
}

static inline struct slab *
slab_of(void *block)
{
    return (struct slab *)((uintptr_t)block & ~(uintptr_t)(FM_SLAB_BYTES - 1));
}

/* Frees a task's block; its class is the slab's, as the record's size is not
 * known any more. */
static inline void
task_block_give(struct task *t)
{
    struct fm_free *list;

    if (unlikely(fm__load(&t->sync) & SYNC_LOOSE)) {
        fm__task_block_free(t);
        return;
    }
    list = task_list(slab_of(t)->bytes);
    if (unlikely(free_is_full(list)))
        fm__task_block_free(t);
    else
        *list->top++ = t;
}

/* Up to n blocks of the class, written to `to`; a new slab is made for the
 * first one only. Returns how many: 0 means no memory. */
size_t fm__blocks_take(uint32_t class, void **to, size_t n);
/* Gives them back, whatever slabs and threads they came from. */
void fm__blocks_give(uint32_t class, void **from, size_t n);
/* Calls fn for every live task of a slab, as fm__task_each. */
void fm__slabs_each_task(void (*fn)(struct task *t, void *arg), void *arg);
/* Around a fork: no other thread is inside. */
void fm__slabs_lock(void);
void fm__slabs_unlock(void);
/* What all slabs take. */
size_t fm__slabs_bytes(void);
/* Takes a reference unless the task is dead. */
bool fm__task_catch(struct task *t);

#endif

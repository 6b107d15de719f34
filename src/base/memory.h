/* memory.h: memory from the system. Every allocation of the runtime, of io
 * and of sync comes through these, so that a test can fail the N-th one. */
#ifndef FM_BASE_MEMORY_H
#define FM_BASE_MEMORY_H

#include <stddef.h>

/* Null when there is none. */
void *fm__sys_alloc(size_t bytes);
void *fm__sys_alloc_aligned(size_t align, size_t bytes);
void *fm__sys_alloc_zeroed(size_t bytes);
/* Null: p is still what it was. */
void *fm__sys_realloc(void *p, size_t bytes);
void fm__sys_free(void *p);

#endif

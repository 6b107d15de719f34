/* abi.h: what compiled code and the runtime agree on. Not for people.
 *
 * The compiler half emits code against this page, the runtime half is
 * written against it, and nothing else joins the two. docs/abi.md says the
 * same in prose; a test compares it with the layouts here.
 */
#ifndef FERMATA_ABI_H
#define FERMATA_ABI_H

#include <stddef.h>
#include <stdint.h>

#define FM_ABI_VERSION 1          /* the 1 in `name.fm1` */

/* The convention that marks async, as a C attribute and as LLVM's number.
 * clang lowers arguments under it exactly as plain C; the compiler half
 * replaces it by the C convention when it splits. */
#define FM_ABI_CONV __attribute__((preserve_most))
#define FM_ABI_CONV_NUMBER 14

/* A split function `T f(args)` has the symbol f.fm1 and returns {T, ptr} in
 * the C convention: the pointer alone where T is void or comes back through
 * memory. The pointer is
 *   null            the call is complete and T is its result
 *   lowest bit set  a fault (struct fm_fault *, plus one); T is undefined
 *   else            the record of the innermost frame that the callee left
 *                   suspended and that has no caller yet; T is undefined
 * A `_Bool` result travels as i8, 0 or 1. */
#define FM_ABI_FAULT_BIT 1u

/* One activation's saved state. The result of the call that it awaits is
 * written at FM_ABI_RESULT by whoever completes that call, never aligned to
 * more than 16. Records whose size is a multiple of 16 are 16-aligned, others
 * 8-aligned. */
struct fm_record {
    struct fm_record *next;       /* the caller's record; null at the end */
    const struct fm_point *point; /* where it is suspended */
};
#define FM_ABI_RESULT 16

/* A suspension point's static descriptor. Offsets are relative to the
 * field's own address, so the table needs no relocation at load time. */
struct fm_point {
    int32_t resume;   /* to void *resume(struct fm_record *, void *fault) */
    uint32_t state;   /* which await of the function */
    uint32_t size;    /* bytes of the record */
    uint32_t flags;   /* FM_POINT_... */
    int32_t info;     /* to struct fm_point_info; 0 = stripped */
};
#define FM_POINT_HANDLER 1u  /* a fault must be given to resume, not skipped */
#define FM_POINT_ANYWHERE 2u /* resume where the completion happens */
#define FM_POINT_TASK 4u     /* the record is a task's own: do not free it */

/* Names and lines, in a section of their own (fm_info). Offsets as above.
 * A function that was inlined into others has no record of its own: the list
 * that `outer` makes names it first, then the one that called it, and so on. A
 * fault that comes out here passes them up to its handler's. */
struct fm_point_info {
    int32_t function;  /* to the C name */
    int32_t file;      /* to the file's name; 0 = unknown */
    int32_t outer;     /* to the info of the caller's place; 0 = not inlined */
    uint32_t line;     /* 0 = unknown */
    uint16_t column;
    uint16_t passes;   /* of that list, by a fault from here; 0 = all */
    uint32_t carried;  /* how many struct fm_carried follow */
};
struct fm_carried {
    int32_t name;      /* to the variable's name, or to "" */
    uint32_t offset;   /* in the record */
    uint32_t bytes;
    int32_t pin;       /* to the reason why it is pinned; 0 = copied */
};

/* resume(record, fault): goes on after the await. `fault` is null when the
 * result lies at record + FM_ABI_RESULT, else a tagged fault. Returns
 *   null            completed: its own result was written to
 *                   next + FM_ABI_RESULT; whoever resumed it frees the record
 *   a tagged fault  completed with it; the same
 *   else            suspended again: the record, already linked behind the
 *                   callee's
 * The record of a start thunk (FM_POINT_TASK) lies in its task: its result
 * is written at its own FM_ABI_RESULT, its next is the runtime's, it is not
 * freed. */
typedef void *fm_abi_resume(struct fm_record *record, void *fault);

/* A handle to a task (fm_task *) is the address of the task's record: the
 * result of a finished task lies at handle + FM_ABI_RESULT. What else the
 * runtime keeps of a task lies before that address. */

/* Records of at most FM_ABI_FREE_MAX bytes come from stacks of free blocks of
 * the thread, `fm_abi_free` (initial-exec; also under the name
 * fm_abi_free_again), one for each 8 bytes: block size class c =
 * (bytes + 7) / 8. Blocks of a multiple of 16 bytes are 16-aligned, others are
 * 8-aligned: a record that needs 16 has a size that is a multiple of 16.
 * Below the lowest block lies a null; a stack ends where its address is a
 * multiple of FM_ABI_FREE_STACK. Compiled code may do inline:
 *   take: top[-1] is not null: it is the block, top - 1
 *         else fm_abi_record_new
 *   give: top is no multiple of FM_ABI_FREE_STACK: *top = block, top + 1
 *         else fm_abi_record_free
 * but not in functions with sanitize_ attributes. An array of addresses, not
 * a list through the blocks: the next block is known without reading one. */
#define FM_ABI_FREE_MAX 1024
#define FM_ABI_FREE_STACK 4096
struct fm_free {
    void **top;
};

/* What runs on this thread, `fm_abi_here` (initial-exec). An await of fm_yield
 * may be done inline: it suspends, with its record linked behind `leaf`;
 * whoever has the root sees to the rest, cancellation included. */
struct fm_here {
    struct fm_record *leaf;       /* of the innermost root */
    void *context;                /* the ambient list; may be null */
    struct fm_free *tasks;        /* as fm_abi_free, of tasks' blocks */
    const char *alone;            /* to what is not 0: one thread, no other */
    uint32_t budget;              /* more than 1: an await may be done at once */
};

/* A root: what starts a chain keeps one on its stack while compiled code
 * below may suspend. Compiled code may enter it inline, as fm_abi_root_enter
 * does: it writes the fields up to `state` and makes it the innermost one. A
 * chain that has no task yet has the one at fm_abi_no_task. */
struct fm_root {
    struct fm_record leaf;
    void *outer;                  /* the innermost one so far */
    void *task;                   /* FM_ABI_TASK_HEAD before its record */
    void *outer_context;          /* the ambient list so far */
    uint64_t held;                /* 0 */
    uint64_t state;               /* 0 */
    void *opaque[9];
};

/* What lies before a task's record, at handle - FM_ABI_TASK_HEAD. Without any
 * call compiled code may, in a process of one thread,
 *   make one: a block of `tasks` with word 0 and counts 2
 *   end one whose chain is complete: word 0 and counts 2 become
 *         FM_ABI_TASK_DONE and 1
 *   free one with these two: counts becomes 0, and the block goes back to the
 *         list of its size, which stands at FM_ABI_SLAB_SIZE of the slab that
 *         begins at the multiple of FM_ABI_SLAB before it
 * and in any process find that one is complete: word is FM_ABI_TASK_DONE.
 * A task was cancelled if the byte at FM_ABI_TASK_FLAGS has FM_ABI_TASK_CANCEL.
 * What is not so plain is the runtime's. */
#define FM_ABI_TASK_HEAD 32
#define FM_ABI_TASK_MAX 1024
#define FM_ABI_TASK_DONE 1
#define FM_ABI_TASK_FLAGS 15
#define FM_ABI_TASK_CANCEL 8
#define FM_ABI_SLAB 65536
#define FM_ABI_SLAB_SIZE 52
struct fm_task_head {
    uint64_t word;                /* its state, and who waits for it */
    uint64_t counts;              /* references; from bit 32 on: flags */
};

/* Words that a function of a -ffermata-stress unit keeps on its stack for the
 * thread's state while longjmp may come back to it. */
#define FM_ABI_STRESS_WORDS 8

/* A scope mark's cleanup variable. */
struct fm_scope {
    void *saved;
};

#endif

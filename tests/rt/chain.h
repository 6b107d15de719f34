/* chain.h: async functions written by hand, as the compiler half would. */
#ifndef CHAIN_H
#define CHAIN_H

#include <errno.h>
#include <fermata.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *fm_abi_link(void *callee, const struct fm_point *p);
void *fm_abi_task_new(size_t bytes);
void fm_abi_root_enter(struct fm_root *root, void *task);
void fm_abi_start_leave(struct fm_root *root, void *p);
void *fm_abi_begin_leave(struct fm_root *root, void *p, size_t bytes);
void fm_abi_wait(fm_task *t);
fm_fault *fm_abi_wait_attempt(fm_task *t);
bool fm_abi_wait_for(fm_task *t, int64_t ns);
void fm_abi_scope_leave(void *outer);

struct answer { uint8_t value; void *end; };
void *h_suspend(fm_arm *arm, void *arg) __asm__("fm_suspend.fm1");
struct answer h_until(fm_arm *arm, fm_disarm *disarm, void *arg)
    __asm__("fm_suspend_until.fm1");
void *h_yield(void) __asm__("fm_yield.fm1");
void *h_await(fm_task *t) __asm__("fm_abi_await.fm1");
void *h_join(fm_task *t) __asm__("fm_abi_join_wait.fm1");
void *h_raise_cancelled(void) __asm__("fm_raise_cancelled.fm1");
void *h_switch(fm_executor *ex) __asm__("fm_switch.fm1");

/* A frame: one word of result slot, two that it carries. */
struct frame {
    struct fm_record r;
    long result;
    long a, b;
};

/* A point `name` of `function`, which resumes at `resume`. */
#define POINT(name, resume, bytes, flags, function)                          \
    extern const struct fm_point name;                                       \
    void *resume(struct fm_record *record, void *fault);                     \
    __asm__(".pushsection .rodata." #name ",\"a\",@progbits\n"               \
            ".balign 4\n" #name ":\n.long " #resume " - .\n.long 0, "        \
            #bytes ", " #flags "\n.long " #name "_info - .\n" #name          \
            "_info: .long " #name "_f - .\n.long 0\n.long 7\n.long 0, 0\n"  \
            #name "_f: .asciz \"" function "\"\n.popsection\n")

/* What a ramp does when its callee suspended. */
#define LINK(end, point) ((struct frame *)fm_abi_link((end), &(point)))
#define IS_FAULT(p) (((uintptr_t)(p) & 1) != 0)
#define OK(cond)                                                             \
    ((cond) ? (void)0                                                        \
            : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,    \
                       #cond),                                               \
               exit(1)))

/* Runs `call`, which yields the raw end of a void ramp, as a task. */
#define BEGIN(task, call)                                                    \
    do {                                                                     \
        struct fm_root root_;                                                \
        fm_abi_root_enter(&root_, NULL);                                     \
        void *end_ = (call);                                                 \
        (task) = fm_abi_begin_leave(&root_, end_, 8);                        \
    } while (0)

/* A gate: keeps the waiter until somebody opens it. */
static fm_waiter *gate;
static inline void
gate_arm(fm_waiter *w, void *arg)
{
    (void)arg;
    gate = w;
}

#endif

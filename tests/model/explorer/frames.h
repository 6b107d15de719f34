/* frames.h: operations that somebody completes, and the hand-made async
 * functions and tasks that wait for them. */
#ifndef FRAMES_H
#define FRAMES_H

#include "ground.h"

/* A suspension point whose resume function has a C name. */
#define POINT(name, resume, bytes, flags)                                    \
    extern const struct fm_point name;                                       \
    void *resume(struct fm_record *record, void *fault);                     \
    __asm__(".pushsection .rodata." #name ",\"a\",@progbits\n"               \
            ".balign 4\n" #name ":\n.long " #resume " - .\n.long 0, "        \
            #bytes ", " #flags ", 0\n.popsection\n")

struct op {
    struct fm_abi_place place; /* first */
    void *waiter;
    _Atomic uint32_t decided; /* by whom: 1 = completed, 2 = given up */
    int armed, disarmed, ended;
    long outcome; /* 1 = resumed, 0 = given up, else a fault's code */
};
extern struct op op, other;
/* Unless it was given up. */
void op_complete(struct op *o);

struct frame {
    struct fm_record r;
    long result;
    struct op *op;
};

/* It ends, once, with a value, or with a fault that it caught. */
void *ends(struct op *o, long value, void *fault);
/* A frame below what has suspended. */
void *link_frame(void *end, const struct fm_point *p, struct op *o);
/* Ends when that does, which may be now. */
void *after(void *end, struct op *o);
/* Waits for the operation. */
void *until(struct op *o);
/* The same at a place, where it begins while there is one thread; and in
 * memory of its own. What gives them up is raised. */
void *at_place(struct op *o);
void *park(struct op *o);
void *until_resume(struct fm_record *record, void *fault);

extern void *task, *task2; /* handles, published by start */
/* What a start thunk does. */
void start(void **handle, void *(*function)(struct op *o), struct op *o);
/* Done, once; the handle goes. */
void is_over(void **handle, struct op *o);
void begin_setup(bool shared);

/* Threads: the loop of executor 0 or 1; one that cancels the task. */
void drives(void);
void drives_second(void);
void cancels(void);

/* hand_over.c, workers.c */
extern const struct scenario hand_over[], workers[];
extern const size_t hand_overs, worker_scenarios;

#endif

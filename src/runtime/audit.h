/* audit.h: the hooks of check builds (make CHECK=1); elsewhere nothing.
 *
 * A check build mallocs every block by itself, with a header that tells what
 * it is, keeps freed blocks back for a while, and looks over all tasks now
 * and then (audit.c). */
#ifndef FM_AUDIT_H
#define FM_AUDIT_H

#include "base/shuffle.h"
#include "runtime/rt.h"

/* A block of its own, before what is handed out. */
struct loose {
    struct loose *next, *prev; /* tasks only: the list of all */
    size_t bytes;
#ifdef FM_CHECK
    _Atomic uint32_t word;    /* LOOSE_LIVE or LOOSE_DEAD */
    _Atomic uint32_t due;     /* DUE_...: of a task's wait */
    uint64_t pad;             /* what follows is 16-aligned */
#endif
    size_t reserve; /* it lies in a reserve: never freed */
};
_Static_assert(sizeof(struct loose) % 16 == 0, "blocks are 16-aligned");

static inline struct loose *
loose_of(void *block)
{
    return (struct loose *)block - 1;
}

#ifdef FM_CHECK

#define LOOSE_LIVE 0x11fe11feu
#define LOOSE_DEAD 0xdeaddeadu
#define DUE_RESUME 1u /* fm_resume is to be called, once */
#define DUE_RUN 2u    /* it is suspended */
#define DUE_ELSEWHERE 4u /* it may be resumed on any thread */

void fm__audit_born(struct loose *l);
/* Takes the block over. */
void fm__audit_dead(struct loose *l);
/* Ends the program with a sentence if t is no live task. */
void fm__audit_task(struct task *t, const char *who);
/* The wait of t is about to be armed; is run again. */
void fm__audit_suspend(struct task *t);
void fm__audit_run(struct task *t);
/* fm_resume is due from now on; was called; will not be. */
void fm__audit_arm(struct task *t);
void fm__audit_resume(struct task *t, const char *who);
void fm__audit_given_up(struct task *t);
/* A job has been run: now and then looks over everything. */
void fm__audit_turn(void);
/* The list of all tasks that are loose, for audit.c. */
void fm__loose_each(void (*fn)(struct loose *l, void *arg), void *arg);

#else

#define fm__audit_task(t, who) ((void)(t))
#define fm__audit_suspend(t) ((void)(t))
#define fm__audit_run(t) ((void)(t))
#define fm__audit_arm(t) ((void)(t))
#define fm__audit_resume(t, who) ((void)(t))
#define fm__audit_given_up(t) ((void)(t))
#define fm__audit_turn() ((void)0)

#endif
#endif

/* stage.h: what a grown program stands on, in both spellings.
 *
 * Spelled in plain C (STAGE_PLAIN) a program carries its own meaning: faults
 * are cx->fault, the ambient list is cx->ambient, the executor a number.
 * Spelled in async C all of these are the runtime's. Whatever a program sees
 * it notes; both spellings must come to the same hash.
 */
#ifndef STAGE_H
#define STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#ifdef STAGE_PLAIN
#define async
#define await
#else
#include <fermata.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <stdatomic.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Where a task runs: a seat (a loop, counted from its run's home), where it
 * was started, the pool. */
enum { SEATS = 3, HERE = SEATS, POOL };
enum { HELD_MAX = 32, CODE = 0x10000 };

/* One run of a program: its activation and all those that it starts. */
struct run {
    const struct play *play;
    unsigned cancel_at;        /* the point at which it is cancelled; 0: none */
    unsigned home;             /* the executor that it begins on */
    unsigned random;           /* how its points suspend */
    unsigned long hash;        /* what came out */
    unsigned points;
#ifdef STAGE_PLAIN
    unsigned live, opened, closed;
#else
    _Atomic unsigned live, opened, closed;
    struct cx *_Atomic made;   /* while allocations fail: all activations */
#endif
};

/* One activation: what one task sees. Only that task touches it. */
struct cx {
    struct run *run;
    unsigned long hash;        /* of all that was noted */
    unsigned long id;          /* for traces: whose child, its how manieth */
    unsigned children;
    unsigned left;             /* calls that it may still make */
    unsigned points;           /* so far */
    unsigned cancel_at;
    unsigned loose;            /* where it runs is not told: see fm_anywhere */
    unsigned held;             /* how many of hold are in use */
    unsigned *hold[HELD_MAX];  /* changed by somebody else at each point */
#ifdef STAGE_PLAIN
    struct fault *fault;       /* under way */
    struct scope *ambient;     /* innermost first */
    struct scope *base;        /* what it was started under */
    bool cancelled;
    unsigned here;             /* executor, counted from home */
#else
    unsigned random;
    _Atomic unsigned refs;
    fm_channel *channel;       /* one reference */
    struct cell *cells;
    struct cx *next;           /* of those made */
#endif
};

struct play {
    const char *name;
    async void (*program)(struct cx *cx);
};
extern const struct play plays[];
extern const unsigned plays_count;

/* A variable with a cleanup. */
struct guard {
    struct cx *cx;
    unsigned n;
    unsigned *held;
};

void note(struct cx *cx, const char *what, unsigned long value);
void note_here(struct cx *cx);
/* Somebody else keeps the address of a local. */
void hold(struct cx *cx, unsigned *p);
void unhold(struct cx *cx, unsigned *p);
void change_held(struct cx *cx);
unsigned bump(unsigned *p);
void end_guard(struct guard *g);
void end_held(struct guard *g);
/* Takes part of the calls that are left: for a task that is started. */
struct cx *child_new(struct cx *cx, unsigned cancel_at, unsigned seat);
void child_fold(struct cx *cx, struct cx *child);
unsigned local_get(struct cx *cx, unsigned key);

async void point(struct cx *cx);          /* here it may suspend */
async unsigned num(struct cx *cx, unsigned v);
async void errno_kept(struct cx *cx, unsigned code);
async void end_later(struct guard *g);    /* awaits, may throw */

/* What each thread has of its own. The address of one's own seat is asked of
 * another translation unit too: they must agree wherever the task runs. */
struct seat {
    unsigned id, scratch[4];
};
#ifdef STAGE_PLAIN
extern struct seat seat;
#else
extern _Thread_local struct seat seat;
#endif
bool seat_is_mine(const unsigned *p, unsigned k);

/* Tasks that share one total, one at a time (fuzz: meeting). MEET_EVENT waits
 * until it is let go, MEET_BARRIER until all have come; then each takes its
 * turn by `turn`. */
enum meet { MEET_AT_ONCE, MEET_EVENT, MEET_BARRIER };
enum turn { TURN_LOCK, TURN_TRY, TURN_COUNT, TURN_WEIGHT };
enum { WEIGHT = 3 };
/* Sets errno, on whatever thread that is. */
unsigned errno_set(unsigned code);

#ifdef STAGE_PLAIN

struct fault {
    int code;
    struct fault *cause, *origin; /* origin: of a copy; else itself */
};
struct token {
    bool fired;
    struct token *parent;      /* fires it too */
};
struct scope {
    enum { LOCAL, TOKEN, DEADLINE, SHIELD } kind;
    unsigned key, value;
    struct token *token;
    struct scope *next;
};
void raise_new(struct cx *cx, int code);
struct fault *fault_take(struct cx *cx);
/* A fault that leaves a cleanup becomes the cause of the one under way. */
struct fault *fault_join(struct fault *outer, struct fault *inner);
struct fault *fault_copy(struct fault *f);
bool raise_pending(struct cx *cx); /* true: raised */
struct token *token_new(struct token *parent);
/* Each returns the outer list, to be put back. */
struct scope *with_local(struct cx *cx, unsigned key, unsigned value);
struct scope *with_token(struct cx *cx, struct token *t);
struct scope *with_deadline(struct cx *cx, bool over);
struct scope *with_shield(struct cx *cx);
void fire(struct cx *cx, struct token *t);
void token_check(struct cx *cx, struct token *t);
void hop(struct cx *cx, unsigned seat);
void expire(struct cx *cx);
void note_fault(struct cx *cx, struct fault *f);

/* What was sent and nobody has received yet: as much as there is. */
struct channel {
    char *room;
    size_t sent, received;
};
void channel_put(struct channel *c, const void *value, size_t bytes);
bool channel_get(struct channel *c, void *value, size_t bytes);

#else

extern fm_executor *seats[SEATS], *pool;
extern fm_local keys[2];
#define SEAT(cx, k)                                                          \
    ((k) == POOL ? pool : seats[((cx)->run->home + (k)) % SEATS])
/* A number with an address, as long as cx lives: what C++ has no literal
 * for. */
unsigned *cell(struct cx *cx, unsigned v);
extern int64_t ages;           /* longer than anything takes */
void note_fault(struct cx *cx, fm_fault *f);
void look_starved(fm_fault *f);  /* is it for want of memory? */
void drop(struct cx **cx);
void end_loose(struct cx **cx);
void end_source(fm_cancel_source **s);
async void fire(struct cx *cx, fm_cancel_source *s);
async void never(struct cx *cx);
void end_never(FM_TASK(void) *t);
async void linger(struct cx *cx); /* until it is cancelled; has cleanups */

struct meeting {
    enum meet meet;
    enum turn turn;
    fm_group *group;
    fm_mutex lock;
    fm_sem sem;
    fm_event event;
    fm_barrier barrier;
    unsigned total;            /* whose turn it is changes it */
    _Atomic unsigned last;     /* times that one was told it came last */
};
void meeting_open(struct meeting *m, fm_group *g, enum meet meet,
                  enum turn turn, unsigned n);
async void meeting_join(struct meeting *m);
async struct meeting *meeting_turn(struct meeting *m);
void meeting_turn_over(struct meeting **m);
/* One cannot come: the others would wait for it. */
void meeting_fail(struct meeting *m, fm_fault *f);
#define CLEANUP(fn) __attribute__((cleanup(fn)))

#endif

#ifdef __cplusplus
}
#endif
#endif

/* loop.h: what the files of io share of the reactor. */
#ifndef FM_IO_LOOP_H
#define FM_IO_LOOP_H

#include <fermata.h>
#include <io/wheel.h>
#include <pthread.h>
#include <stdatomic.h>

/* Something whose descriptor stands in a loop's epoll set. Its memory stays
 * a watch for ever (it is recycled, never given back), so that an event that
 * was fetched before it was given up finds it; the generation then tells the
 * event from those of its successor. */
struct fm__watch {
    void (*ready)(struct fm__watch *w, uint16_t generation, uint32_t events);
    void (*recycle)(struct fm__watch *w);
    struct fm__watch *next; /* given up, or free */
};

/* So many operations of one job or event may succeed at once; the next lets
 * the others run first. */
#define FM__BUDGET 64
extern _Thread_local unsigned fm__budget
    __attribute__((tls_model("initial-exec")));

/* One thread's reactor. The upper half belongs to that thread. */
struct fm__loop {
    fm_ready ready;           /* jobs: oldest first */
    struct fm__wheel timers;
    size_t waits;             /* waits for descriptors begun here ... */
    struct fm__watch *given_up; /* recycled when no event of it is left */
    bool handing_out;         /* events are under way */
    fm_executor *executor;
    int poll, wake;           /* epoll; eventfd that ends a wait */
    unsigned life;            /* how often it was opened */
    int driving;              /* how many drives are under way */
    size_t turn_end; /* of ready.taken: it looks around before more */
    bool own_thread; /* made by fm_loop_new */
    bool beside; /* other threads start and stop timers here */
    pthread_t thread; /* of its own */
    struct fm__loop *free; /* links those whose thread has ended */
    struct fm__loop *older; /* links all there ever were */
    struct fm_guest *guest; /* a loop that this one runs: embed.c */
    bool guest_left; /* it has something to wait for */

    _Alignas(64) _Atomic(fm_job *) inbox; /* from others: newest first */
    atomic_bool parked; /* its thread sleeps, or is about to */
    atomic_bool stop; /* fm_executor_free asks */
    atomic_bool dead; /* its thread has ended: poll is closed */
    atomic_size_t left; /* what fm__loop_pending tells others */
    atomic_size_t waits_over; /* ... and ended by other threads */
    pthread_mutex_t lock; /* poll against the end of the thread */
    pthread_mutex_t timers_lock; /* timers, if beside */
};

/* The calling thread's loop, or null. */
extern _Thread_local struct fm__loop *fm__here
    __attribute__((tls_model("initial-exec")));
/* The same, made if there is none. */
struct fm__loop *fm__loop_here(void);
/* The loop that watches what a task waits for that runs here: the thread's
 * own, or the one beside if nobody drives that. */
struct fm__loop *fm__loop_to_wait(void);
/* In the child of a fork: its loops are the parent's. */
extern atomic_bool fm__forked;
__attribute__((cold, noreturn)) void fm__loop_die_forked(void);
static inline void
fm__loop_check(void)
{
    if (atomic_load_explicit(&fm__forked, memory_order_relaxed))
        fm__loop_die_forked();
}
/* Says it, and aborts; the second with errno's sentence. */
__attribute__((cold, noreturn)) void fm__loop_die_of(const char *what);
/* The same descriptor, or in place of one of 0 to 2 a higher one: those are a
 * program's standard streams even where they are closed. -1 with errno. */
int fm__off_standard(int fd);
__attribute__((cold, noreturn)) void fm__loop_die(const char *what);

extern const fm_executor_vtable fm__loop_vtable;
void fm__loop_drive(void *loop, bool (*done)(void *), void *done_arg);
void fm__loop_free(void *loop);
void fm__loop_timer_start(void *loop, fm_timer *t);
bool fm__loop_timer_stop(void *loop, fm_timer *t);
/* The halves of a turn, on its thread: waits for events, timers and jobs, at
 * most so many ns (-1 = no limit), and returns how many events came (< 0:
 * none); hands them out and fires what is due. */
#define FM__EVENTS_A_TURN 128
struct epoll_event;
int fm__loop_sleep(struct fm__loop *l, struct epoll_event *events,
                   int64_t most);
void fm__loop_serve(struct fm__loop *l, struct epoll_event *events, int n);
void fm__loop_take_wake(struct fm__loop *l);
/* There are jobs or timers to run now. */
bool fm__loop_is_due(struct fm__loop *l);
/* Runs the jobs that were posted to it, a turn's worth. */
void fm__loop_jobs(struct fm__loop *l);
/* A turn that never sleeps, for who drives it from outside: fm_loop_turn. */
int64_t fm__loop_turn(struct fm__loop *l);
/* The guest's turn: how long to sleep at most, -1 = no limit. */
int64_t fm__loop_guest_turn(struct fm__loop *l);
/* Does for l, whose thread is busy, what came for it: on this thread. */
void fm__loop_serve_other(struct fm__loop *l);
/* A loop for this thread, which is to be its only one until it is given up:
 * it is not driven, but served. Null with errno. */
struct fm__loop *fm__loop_served_new(void);
void fm__loop_served_free(struct fm__loop *l);
/* Ends its sleep; from any thread. */
void fm__loop_wake(struct fm__loop *l);
/* What may still happen in it, seen from its thread. */
size_t fm__loop_left(struct fm__loop *l);
/* epoll_ctl, from any thread. 0, or an errno value; EBADF: the loop's thread
 * has ended. */
int fm__loop_control(struct fm__loop *l, int op, int fd, struct fm__watch *w,
                     uint16_t generation, uint32_t events);
/* w is used no more. Its own loop, if that is in the middle of its events,
 * keeps it until they are through: then the loop's thread, which may enter
 * its lock without an atomic, never sees an event of it again. */
static inline void
fm__loop_give_up(struct fm__watch *w)
{
    struct fm__loop *l = fm__here;
    if (!l || !l->handing_out) {
        w->recycle(w);
        return;
    }
    w->next = l->given_up;
    l->given_up = w;
}
/* A wait for a descriptor begins at l, is over; from any thread. */
static inline void
fm__loop_wait_begin(struct fm__loop *l)
{
    if (fm__here == l)
        l->waits++;
    else
        atomic_fetch_sub_explicit(&l->waits_over, 1, memory_order_relaxed);
}
static inline void
fm__loop_wait_over(struct fm__loop *l)
{
    if (fm__here == l)
        l->waits--;
    else
        atomic_fetch_add_explicit(&l->waits_over, 1, memory_order_relaxed);
}

/* In the child of a fork: what is free stays where it is. */
void fm__descriptors_after_fork(void);
void fm__standard_after_fork(void);
/* fm_sleep, but false if cancelled. */
fm_async bool fm__sleep(int64_t ns);

#endif

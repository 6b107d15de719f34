/* lane.h: threads for calls that block. */
#ifndef FM_IO_LANE_H
#define FM_IO_LANE_H

#include <fermata.h>
#include <pthread.h>

/* One call. It lies in the frame of who waits for it, or, if it has a drop,
 * in memory of its own. Under the lane's lock but what `run` works on. */
struct fm__errand {
    void (*run)(struct fm__errand *e); /* on a thread of the lane; may block */
    /* If it is given: who waits may leave while it runs, and when it has run
     * it is dropped by the lane. */
    void (*drop)(struct fm__errand *e);
    struct fm__errand *next;
    fm_waiter *waiter;
    struct fm__loop *at; /* where the wait counts */
    enum { ERRAND_QUEUED, ERRAND_RUNS, ERRAND_LEFT, ERRAND_OVER } state;
};

/* Threads are made when all are busy, up to `most`, and end when they have
 * had nothing to do for a while. What is over that queues. */
struct fm__lane {
    const char *name; /* of its threads, fermata-... */
    const char *variable; /* of the environment: another `most` */
    unsigned most;
    pthread_mutex_t lock;
    pthread_cond_t work;
    unsigned threads, waiting; /* waiting: those of them without work */
    unsigned queued;
    struct fm__errand *first, *last;
};

/* Lanes of their own: whoever waits for a slow name server or a slow disk
 * does not keep the others. Calls: the user's own, fm_blocking. */
extern struct fm__lane fm__lane_calls, fm__lane_files, fm__lane_names;

enum fm__ran {
    FM__RAN,
    FM__NOT_RUN, /* cancelled before it began */
    FM__LEFT_RUNNING, /* cancelled, and the lane's to drop */
};
/* Runs it on the lane and waits. Cancelled, it is taken back while it queues;
 * when it runs, it is left behind if it can be, else waited for. */
fm_async enum fm__ran fm__lane_run(struct fm__lane *lane, struct fm__errand *e);
/* In the child of a fork. */
void fm__lanes_after_fork(void);

#endif

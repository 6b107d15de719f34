/* hop.h: suspensions that other threads end, for tests of identity. */
#ifndef HOP_H
#define HOP_H
#include <fermata.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static fm_executor *hop_loops[2];

static void *
hop_complete(void *arg)
{
    fm_resume(arg);
    return NULL;
}

/* Resumed from a thread that has no loop: the chain stays where it was. */
static void
hop_arm(fm_waiter *waiter, void *arg)
{
    pthread_t thread;
    (void)arg;
    if (pthread_create(&thread, NULL, hop_complete, waiter))
        perror("no thread"), exit(1);
    pthread_detach(thread);
}

static async void
hop_resume(fm_waiter *waiter)
{
    fm_resume(waiter);
}

static fm_executor *hop_home;

/* Resumed from one of two loops with threads of their own. */
static void
hop_arm_loop(fm_waiter *waiter, void *arg)
{
    static unsigned turn;
    fm_executor **loop = &hop_loops[turn++ & 1];
    (void)arg;
    if (!hop_home)
        hop_home = fm_executor_self(); /* the first hop starts at home */
    if (!*loop && !(*loop = fm_loop_new()))
        perror("no thread"), exit(1);
    fm_release(fm_start_on(*loop, hop_resume(waiter)));
}

static inline void
hop_free(void)
{
    for (int i = 0; i < 2; i++)
        if (hop_loops[i])
            fm_executor_free(hop_loops[i]);
}

/* A loop is not freed on its own thread: home first. For main only, which
 * goes back to no caller. */
#define hop_end()                                                            \
    do {                                                                     \
        if (hop_home)                                                        \
            await fm_switch(hop_home);                                       \
        hop_free();                                                          \
    } while (0)

/* The function that says HOP() goes on on another loop's thread. */
#define HOP() (await fm_anywhere(fm_suspend(hop_arm_loop, NULL)))
/* The function that says AWAY() waits for another thread, and comes back. */
#define AWAY() (await fm_suspend(hop_arm, NULL))
#endif

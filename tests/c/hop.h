/* hop.h: a suspension that another thread ends, for tests of identity. */
#ifndef HOP_H
#define HOP_H
#include <fermata.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *
hop_complete(void *arg)
{
    fm_resume(arg);
    return NULL;
}

static void
hop_arm(fm_waiter *waiter, void *arg)
{
    pthread_t thread;
    (void)arg;
    if (pthread_create(&thread, NULL, hop_complete, waiter))
        abort();
    pthread_detach(thread);
}

/* The function that says HOP() goes on on a thread of its own. */
#define HOP() (await fm_anywhere(fm_suspend(hop_arm, NULL)))
/* The function that says AWAY() waits for another thread, and comes back. */
#define AWAY() (await fm_suspend(hop_arm, NULL))
#endif

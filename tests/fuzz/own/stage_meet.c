/* stage_meet.c: tasks that meet: one total, whose turn it is changes it. */
#include "stage_inner.h"

void
meeting_open(struct meeting *m, fm_group *g, enum meet meet, enum turn turn,
             unsigned n)
{
    *m = (struct meeting){.meet = meet, .turn = turn, .group = g};
    fm_mutex_init(&m->lock);
    fm_sem_init(&m->sem, turn == TURN_WEIGHT ? WEIGHT : 1);
    fm_event_init(&m->event);
    fm_barrier_init(&m->barrier, n);
}

async void
meeting_join(struct meeting *m)
{
    if (m->meet == MEET_EVENT)
        await fm_event_wait(&m->event);
    else if (m->meet == MEET_BARRIER && await fm_barrier_wait(&m->barrier))
        m->last++;
}

async struct meeting *
meeting_turn(struct meeting *m)
{
    switch (m->turn) {
    case TURN_LOCK:
        await fm_lock(&m->lock);
        break;
    case TURN_TRY:
        await fm_raise_cancelled();
        if (!fm_try_lock(&m->lock))
            await fm_lock(&m->lock);
        break;
    case TURN_COUNT:
        await fm_sem_wait(&m->sem, 1);
        break;
    case TURN_WEIGHT:
        await fm_sem_wait(&m->sem, WEIGHT);
        break;
    }
    return m;
}

void
meeting_turn_over(struct meeting **at)
{
    struct meeting *m = *at;

    if (m->turn == TURN_LOCK || m->turn == TURN_TRY)
        fm_unlock(&m->lock);
    else
        fm_sem_post(&m->sem, m->turn == TURN_WEIGHT ? WEIGHT : 1);
}

void
meeting_fail(struct meeting *m, fm_fault *f)
{
    if (fm_fault_code(f) == ENOMEM)
        fm_group_cancel(m->group);
}

async void
linger(struct cx *cx)
{
    struct cx *own CLEANUP(drop) = cx;
    struct guard later CLEANUP(end_later) = {cx, 8, NULL};

    (void)own, (void)later;
    cx->run->opened++;
    (void)await fm_attempt(NULL, fm_sleep(FM_FOREVER));
}

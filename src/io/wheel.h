/* wheel.h: timers of one loop, in the callers' memory. */
#ifndef FM_IO_WHEEL_H
#define FM_IO_WHEEL_H

#include <fermata.h>

#define FM__WHEEL_NEAR_BITS 8 /* slots of the lowest level */
#define FM__WHEEL_FAR_BITS 6  /* slots of each other level */
#define FM__WHEEL_FAR 3       /* how many other levels */
#define FM__WHEEL_CHAINS 4    /* lists of each slot */

/* Of one slot, in as many lists, so that as many of its timers are fetched
 * from memory at a time when it is emptied: one after the other is what a
 * hundred thousand timers would spend their time with. */
struct fm__wheel_slot {
    fm_timer *chain[FM__WHEEL_CHAINS];
};

/* All armed timers. Those due within the next ticks are in a pairing heap,
 * exact to the nanosecond; the others lie in the slot of their tick, and a
 * slot goes into the heap when all of it is due. link[2] of a timer tells
 * where it is: null = not armed, itself = in a slot, else in the heap. */
struct fm__wheel {
    int64_t tick;    /* no slot holds a timer of an earlier tick */
    size_t count;    /* armed timers */
    unsigned turn;   /* the chain that the next one is put into */
    fm_timer *heap;  /* the earliest, or null */
    fm_timer above;  /* what link[2] of the heap's first points to */
    struct fm__wheel_slot near[1 << FM__WHEEL_NEAR_BITS];
    struct fm__wheel_slot far[FM__WHEEL_FAR][1 << FM__WHEEL_FAR_BITS];
    struct fm__wheel_slot beyond;    /* later than all levels reach */
    uint64_t near_bits[4];           /* slots that may hold timers */
    uint64_t far_bits[FM__WHEEL_FAR];
};

void fm__wheel_start(struct fm__wheel *w, fm_timer *t);
/* False: it is not armed. */
bool fm__wheel_stop(struct fm__wheel *w, fm_timer *t);
/* Brings slots that are due by `now` into the heap. */
void fm__wheel_advance(struct fm__wheel *w, int64_t now);
/* Takes the earliest of those that are due by `now` out; null = none is. */
fm_timer *fm__wheel_take(struct fm__wheel *w, int64_t now);
/* When to look again; FM_FOREVER if no timer is armed. */
int64_t fm__wheel_next(const struct fm__wheel *w);

#endif

/* stage_inner.h: what the files of the async stage share. */
#ifndef STAGE_INNER_H
#define STAGE_INNER_H

#include "stage.h"

/* How a point suspends. From LATER on somebody else ends the wait, and may
 * cancel it before; FOREIGN is a thread that is none of the runtime's; in RACE
 * the wake and the cancellation come from two threads at once. */
enum way { STILL, YIELD, TWICE, AT_ONCE, READY, SLEEP, LATER, AFAR, SOURCE,
           SOURCE_AFAR, FOREIGN, RACE, WAYS };

/* How this process reads its programs. */
struct how {
    enum way points;           /* WAYS: each by seed */
    bool shuffled;             /* all executors on one thread */
    bool at_once;              /* all runs of a program */
    bool starving;             /* allocations fail */
    unsigned seed;
};
extern struct how how;
extern fm_executor *helper;    /* a loop that only wakes others */

unsigned next_random(unsigned *state);
void foreign_open(void);
void foreign_close(void);

#endif

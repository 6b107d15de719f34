/* rounds.h: the same work again and again, while some allocation fails. */
#ifndef ROUNDS_H
#define ROUNDS_H
#include "ok.h"
#include <fermata.h>

static int opened, closed, rounds_failed;

/* One allocation fails, so one call does, with ENOMEM; the next one works, and
 * all that was opened is closed. */
#define ROUND(call)                                                          \
    do {                                                                     \
        fm_fault *round_fault = await fm_attempt(NULL, call);                \
        OK(!round_fault || fm_fault_code(round_fault) == ENOMEM);            \
        rounds_failed += round_fault != NULL;                                \
        OK(rounds_failed <= 1);                                              \
        OK(opened == closed);                                                \
    } while (0)
#endif

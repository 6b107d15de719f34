/* corner.h: what suspends in these programs: nothing (W 0), every call (1) or
 * one in three (2). Each program is read by corners.sh. */
#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#ifndef W
#define W 1
#endif
#if W == 2
static int w_;
#define SUSPEND()                                                              \
    do {                                                                       \
        if (w_++ % 3 == 1)                                                     \
            await fm_yield();                                                  \
    } while (0)
#elif W
#define SUSPEND() await fm_yield()
#else
#define SUSPEND() (void)0
#endif
static async inline int
val(int v)
{
    SUSPEND();
    return v;
}
static async __attribute__((noinline)) long
lval(long v)
{
    SUSPEND();
    return v;
}
static async double
dval(double v)
{
    SUSPEND();
    return v;
}
static inline void
unused_(void)
{
    (void)val;
    (void)lval;
    (void)dval;
}

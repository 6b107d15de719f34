/* point.h: what every generated program stands on.
 *
 * point(cx) is the place where a reading may suspend; how is chosen at run
 * time (POINT=..., see point.in.c). Whether it does must not show: note() prints
 * what the program saw, and all readings must print the same.
 */
#ifndef POINT_H
#define POINT_H

#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cx {
    unsigned long hash;      /* of everything noted so far */
    unsigned random;         /* state of this activation's choices */
    bool quiet;              /* hash only: one of several at once */
    unsigned id;             /* which of them, 0 for the first */
    unsigned steps;          /* calls so far: wild programs end by it */
    unsigned held;           /* how many of hold are in use */
    unsigned *hold[32];      /* changed by somebody else at each point */
};

async void point(struct cx *cx);
async unsigned num(struct cx *cx, unsigned v); /* v, after a point */
void note(struct cx *cx, const char *what, unsigned long v);
/* Somebody else keeps the address of a local: each point changes it. No
 * more than 32 at a time, what is over is let go. */
void hold(struct cx *cx, unsigned *p);
void unhold(struct cx *cx, unsigned *p);
/* The address, in a way that no optimiser sees through. */
void *opaque(void *p);

/* What a generated file defines. */
async void program(struct cx *cx);

#endif

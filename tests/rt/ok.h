/* ok.h: what a test says when something is not so. */
#ifndef OK_H
#define OK_H
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define OK(cond)                                                             \
    ((cond) ? (void)0                                                        \
            : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,    \
                       #cond),                                               \
               exit(1)))
#endif

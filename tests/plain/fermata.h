/* fermata.h of the plain reading: async and await erased, so that a test is
 * ordinary C, whose output the compiled async C must equal. */
#ifndef FERMATA_H
#define FERMATA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define async
#define await
#define fm_async
#define fm_await
#define fm_yield() ((void)0)
#define fm_sleep(ns) ((void)(ns))
#endif

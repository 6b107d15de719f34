/* async.h: one text, two readings. With PLAIN defined the same functions are
 * ordinary C, which is the peer that they are measured against.
 */
#ifndef BENCH_ASYNC_H
#define BENCH_ASYNC_H

#ifdef PLAIN
#define async
#define await
#define fm_wait(call) (call)
#else
#include <fermata.h>
#endif

#define NOINLINE __attribute__((noinline))

#endif

/* uv.h: Fermata and a libuv loop of your own, on one thread.
 *
 * Either may run the other: a program that calls uv_run gets an executor
 * over its loop; a program that has an async main, or blocks in fm_wait, can
 * have its loop run there. Both work from the thread whose loop it is, one
 * libuv loop a thread. Link with -luv.
 */
#ifndef FERMATA_UV_H
#define FERMATA_UV_H

#include <uv.h>
/* After uv.h, which has names that ours would hide. */
#include <fermata.h>
#pragma clang system_header

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The executor of this thread, which uv_run(loop) runs from now on: tasks that
 * are started here, or on this executor from any thread, resume inside it,
 * with their timers, streams and wakes. uv_run goes on while they wait for any
 * of these. It does not for calls that other threads may start here yet, or
 * for libuv callbacks that a task waits for: a handle of yours does.
 * fm_wait on this thread does not run the libuv loop: see fm_uv_embed. Null
 * with errno (ENOMEM, EBUSY: this thread has one). */
fm_executor *fm_uv_executor(uv_loop_t *loop) FM__NOTHROW;
/* Ends that, outside of uv_run's callbacks too: its handles are closed; run the
 * loop once more before uv_loop_close. */
void fm_uv_executor_end(uv_loop_t *loop) FM__NOTHROW;

/* From now on whatever runs this thread's tasks (an async main, fm_wait,
 * fm_run_until_idle) runs the libuv loop as well, whose callbacks are then
 * called outside of any task. It counts as something to wait for as long as
 * it is alive. Do not call uv_run on it meanwhile. 0, or -1 with errno. */
int fm_uv_embed(uv_loop_t *loop) FM__NOTHROW;
void fm_uv_embed_end(uv_loop_t *loop) FM__NOTHROW;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

/* blocking.c: fm_blocking's call of a user's function, on a lane of its own.
 *
 * Compiled code hands over a function that makes the call out of a block in
 * the frame of who waits. */
#include <errno.h>
#include <io/lane.h>
#include <io/loop.h>

struct call {
    struct fm__errand errand;
    void (*run)(void *arg);
    void *arg;
    int error; /* errno after it */
};

static void
run(struct fm__errand *e)
{
    struct call *c = (struct call *)(void *)e;
    errno = 0;
    c->run(c->arg);
    c->error = errno;
}

fm_async void
fm_abi_blocking(void (*fn)(void *arg), void *arg)
{
    struct call c = {.errand.run = run, .run = fn, .arg = arg};
    if (fm_await fm__lane_run(&fm__lane_calls, &c.errand) != FM__RAN)
        fm_await fm_raise_cancelled();
    errno = c.error;
}

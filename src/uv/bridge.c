/* bridge.c: Fermata's loop in libuv's, and libuv's in Fermata's.
 *
 * A library of its own (libfermata-uv.a), over the public interface, so that
 * no other program needs libuv.
 */
#include <errno.h>
#include <fermata/uv.h>
#include <stdlib.h>

/* ---- an executor inside uv_run ----
 *
 * The trick is libuv's order: prepare, then how long to sleep is computed,
 * then it sleeps. So prepare runs a turn and sets the timer; the poll handle
 * on our epoll set ends the sleep, and runs a turn at once for who calls
 * uv_run for one round only. */

struct bridge {
    uv_loop_t *loop;
    uv_poll_t poll;
    uv_prepare_t prepare;
    uv_idle_t idle; /* while it runs libuv does not sleep */
    uv_timer_t timer;
    int open; /* handles that are not closed yet */
};

static _Thread_local struct bridge *here;

static void
awake(uv_idle_t *idle)
{
    (void)idle;
}

static void
on_timer(uv_timer_t *timer)
{
    (void)timer; /* the next prepare runs the turn */
}

static void
keep(uv_handle_t *handle, bool alive)
{
    if (alive)
        uv_ref(handle);
    else
        uv_unref(handle);
}

/* libuv counts in ms: it is asked to wake a little late, never early. */
static void
turn(struct bridge *b)
{
    int64_t ns = fm_loop_turn();

    keep((uv_handle_t *)&b->poll, ns >= 0);
    if (ns == 0)
        uv_idle_start(&b->idle, awake);
    else
        uv_idle_stop(&b->idle);
    if (ns > 0 && ns != FM_FOREVER) {
        uv_update_time(b->loop);
        uv_timer_start(&b->timer, on_timer, (uint64_t)(ns + 999999) / 1000000,
                       0);
    } else {
        uv_timer_stop(&b->timer);
    }
}

static void
on_prepare(uv_prepare_t *prepare)
{
    turn(prepare->data);
}

static void
on_poll(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    turn(poll->data);
}

static void
on_close(uv_handle_t *handle)
{
    struct bridge *b = handle->data;

    if (!--b->open)
        free(b);
}

static uv_handle_t *
handle_of(struct bridge *b, int i)
{
    uv_handle_t *handles[] = {(uv_handle_t *)&b->prepare,
                              (uv_handle_t *)&b->idle, (uv_handle_t *)&b->timer,
                              (uv_handle_t *)&b->poll};

    return handles[i];
}

fm_executor *
fm_uv_executor(uv_loop_t *loop)
{
    struct bridge *b;
    int error;

    if (here) {
        errno = EBUSY;
        return here->loop == loop ? fm_loop() : NULL;
    }
    b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    error = uv_poll_init(loop, &b->poll, fm_loop_fd());
    if (error) {
        free(b);
        errno = -error;
        return NULL;
    }
    b->loop = loop;
    uv_prepare_init(loop, &b->prepare);
    uv_idle_init(loop, &b->idle);
    uv_timer_init(loop, &b->timer);
    for (b->open = 0; b->open < 4; b->open++)
        handle_of(b, b->open)->data = b;
    uv_unref((uv_handle_t *)&b->prepare);
    uv_unref((uv_handle_t *)&b->timer);
    uv_prepare_start(&b->prepare, on_prepare);
    uv_poll_start(&b->poll, UV_READABLE, on_poll);
    return here = b, fm_loop();
}

void
fm_uv_executor_end(uv_loop_t *loop)
{
    struct bridge *b = here;

    if (!b || b->loop != loop)
        return;
    here = NULL;
    for (int i = 0; i < 4; i++)
        uv_close(handle_of(b, i), on_close);
}

/* ---- libuv's loop inside ours ---- */

struct guest {
    fm_guest guest; /* first */
    uv_loop_t *loop;
};

static _Thread_local struct guest guest;

/* Descriptors that were added since are told to its epoll set in here. */
static int64_t
guest_turn(fm_guest *g)
{
    uv_loop_t *loop = ((struct guest *)g)->loop;
    int ms;

    if (!uv_run(loop, UV_RUN_NOWAIT))
        return -1;
    uv_update_time(loop);
    ms = uv_backend_timeout(loop);
    return ms < 0 ? FM_FOREVER : FM_MS(ms);
}

int
fm_uv_embed(uv_loop_t *loop)
{
    if (guest.loop) {
        errno = EBUSY;
        return -1;
    }
    guest = (struct guest){{guest_turn, uv_backend_fd(loop)}, loop};
    if (!fm_loop_invite(&guest.guest))
        return 0;
    guest.loop = NULL;
    return -1;
}

void
fm_uv_embed_end(uv_loop_t *loop)
{
    if (guest.loop != loop)
        return;
    fm_loop_dismiss(&guest.guest);
    guest.loop = NULL;
}

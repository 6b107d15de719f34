// The loop of an async main runs a libuv loop, too: its timers, files and
// wakes go on while tasks wait, and a task can wait for a libuv callback.
// flags: -luv
#include "../rt/ok.h"
#include <fermata/uv.h>
#include <fermata/io.h>
#include <fcntl.h>
#include <unistd.h>

static int ticks;

static void on_tick(uv_timer_t *t)
{
    if (++ticks == 10)
        uv_close((uv_handle_t *)t, NULL);
}

/* A wait for a libuv request, written on fm_suspend. */
struct opening {
    uv_fs_t request;
    fm_waiter *waiter;
    uv_loop_t *loop;
    const char *path;
};

static void on_open(uv_fs_t *request)
{
    fm_resume(((struct opening *)request)->waiter);
}

static void begin(fm_waiter *waiter, void *arg)
{
    struct opening *o = arg;
    o->waiter = waiter;
    uv_fs_open(o->loop, &o->request, o->path, O_RDONLY, 0, on_open);
}

async int open_by_uv(uv_loop_t *loop, const char *path)
{
    struct opening o = {.loop = loop, .path = path};
    await fm_suspend(begin, &o);
    int fd = (int)o.request.result;
    uv_fs_req_cleanup(&o.request);
    return fd;
}

async int main(void)
{
    uv_loop_t loop;
    uv_timer_t timer;
    OK(!uv_loop_init(&loop) && !fm_uv_embed(&loop));
    OK(fm_uv_embed(&loop) == -1 && errno == EBUSY);
    uv_timer_init(&loop, &timer);
    uv_timer_start(&timer, on_tick, 2, 2);
    for (int i = 0; i < 20; i++) {
        int fd = await open_by_uv(&loop, i & 1 ? "/dev/null" : "/no/such");
        OK(i & 1 ? fd >= 0 : fd == UV_ENOENT);
        if (fd >= 0)
            close(fd);
    }
    int64_t since = fm_now();
    while (ticks < 10) {
        await fm_sleep(FM_MS(1));
        OK(fm_now() - since < FM_S(10));
    }
    await fm_sleep(FM_MS(5));
    fm_uv_embed_end(&loop);
    OK(!uv_loop_close(&loop));
    return 0;
}

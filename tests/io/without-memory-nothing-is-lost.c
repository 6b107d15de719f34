// Streams, sockets and timers without memory: ENOMEM, and all is given back.
#include "../rt/ok.h"
#include <fermata.h>
#include <fermata/io.h>
#include <sys/socket.h>
#include <unistd.h>

static int opened, closed;
static void
shut(fm_stream **s)
{
    if (*s)
        closed++, fm_close(*s);
}
static void
shut_listener(fm_listener **l)
{
    if (*l)
        closed++, fm_listener_close(*l);
}
#define STREAM __attribute__((cleanup(shut))) fm_stream *
#define LISTENER __attribute__((cleanup(shut_listener))) fm_listener *

static async size_t
answers(fm_listener *l)
{
    STREAM s = await fm_accept(l);
    char line[64];
    opened++;
    size_t n = await fm_read_until(s, line, sizeof line, '\n');
    await fm_write(s, line, n);
    await fm_shutdown(s);
    return n;
}
static async size_t
asks(int port)
{
    fm_with_timeout(FM_S(1)); /* the other end may want memory */
    STREAM s = await fm_tcp_connect("127.0.0.1", port);
    char line[64];
    opened++;
    await fm_sleep(FM_US(50));
    await fm_write(s, "hello\n", 6);
    return await fm_read_exact(s, line, sizeof line);
}
static async size_t
talks(void)
{
    LISTENER l = await fm_tcp_listen("127.0.0.1", 0, 4);
    opened++;
    FM_TASK(size_t) FM_AUTO t = fm_start(answers(l));
    FM_DEFER {
        fm_fault *f;
        fm_cancel(t);
        fm_try { await fm_get(t); } fm_catch (f) {}
    }
    size_t n = await asks(fm_listener_port(l));
    return n + await fm_get(t);
}
static async size_t
pipes(void)
{
    int fd[2];
    char byte[4];
    OK(!pipe(fd));
    STREAM from = fm_stream_open(fd[0]);
    if (!from)
        close(fd[0]);
    STREAM to = fm_stream_open(fd[1]);
    if (!to)
        close(fd[1]);
    opened += !!from + !!to;
    if (!from || !to)
        fm_throw(ENOMEM, "no stream for %d", fd[0]);
    FM_TASK(size_t) FM_AUTO t = fm_start(fm_read(from, byte, 4));
    FM_DEFER {
        fm_fault *f;
        fm_cancel(t);
        fm_try { await fm_get(t); } fm_catch (f) {}
    }
    await fm_write(to, "abc", 3);
    return await fm_within(FM_S(5), fm_get(t));
}
async int
main(void)
{
    size_t n = 0;
    for (int i = 0; i < 3; i++) {
        fm_fault *f = await fm_attempt(&n, talks());
        OK(f ? fm_fault_code(f) == ENOMEM || fm_fault_code(f) == ECANCELED ||
                   fm_fault_code(f) == ETIMEDOUT
             : n == 12);
        f = await fm_attempt(&n, pipes());
        OK(f ? fm_fault_code(f) == ENOMEM : n == 3);
        OK(opened == closed);
    }
    return 0;
}

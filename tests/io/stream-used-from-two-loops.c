// One stream, read on one loop while it is written on another, closed by a
// third thread: all bytes arrive, and the close wakes the reader.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
// threads

enum { BYTES = 1 << 20 };
static fm_stream *s, *other;

async void put(fm_stream *to)
{
    char buf[1000];
    for (int at = 0; at < BYTES; at += (int)sizeof(buf)) {
        memset(buf, at / 1000 % 128, sizeof(buf));
        await fm_write(to, buf, sizeof(buf));
    }
}

async int take(fm_stream *from)
{
    char buf[1000];
    int wrong = 0;
    for (int at = 0; at < BYTES; at += (int)sizeof(buf)) {
        await fm_read_exact(from, buf, sizeof(buf));
        wrong += buf[0] != at / 1000 % 128 || buf[999] != buf[0];
    }
    return wrong;
}

async void wait_for_close(void)
{
    char c;
    await fm_read(s, &c, 1);
}

async void close_it(void)
{
    fm_close(s);
}

async int main(void)
{
    int fd[2];
    fm_executor *a = fm_loop_new(), *b = fm_loop_new();
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    s = fm_stream_open(fd[0]);
    other = fm_stream_open(fd[1]);
    for (int round = 0; round < 3; round++) {
        FM_TASK(int) in = fm_start_on(a, take(s));
        FM_TASK(void) out = fm_start_on(b, put(s));
        FM_TASK(void) back = fm_start_on(round & 1 ? a : b, put(other));
        int wrong = await take(other);
        wrong += await fm_join(in);
        await fm_join(out);
        await fm_join(back);
        printf("%d wrong\n", wrong);
    }
    FM_TASK(void) reader = fm_start_on(a, wait_for_close());
    await fm_sleep(FM_MS(5));
    await fm_join(fm_start_on(b, close_it()));
    fm_fault *f = await fm_attempt(NULL, fm_join(reader));
    printf("%s\n", f && fm_fault_code(f) == ECANCELED ? "closed" : "?");
    fm_close(other);
    fm_executor_free(a);
    fm_executor_free(b);
    return 0;
}

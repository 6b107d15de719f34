// Reads of all kinds, many cut off by a time limit or a cancel, get every byte
// of a stream once and in order, whatever pieces they were sent in.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
// threads
// time: 60

enum { BYTES = 300000 };
static unsigned char text[BYTES];
static size_t at;      // bytes got so far
static int cut, wrong;
static unsigned seed = 7;

static unsigned
roll(void)
{
    seed = seed * 1103515245 + 12345;
    return seed >> 8;
}

static void
check(const void *buf, size_t n)
{
    wrong += at + n > BYTES || memcmp(buf, text + at, n) != 0;
    at += n;
}

async void put(fm_stream *s)
{
    for (size_t done = 0, n; done < BYTES; done += n) {
        n = roll() % 8 ? roll() % 50 + 1 : roll() % 9000 + 1;
        n = n < BYTES - done ? n : BYTES - done;
        await fm_write(s, text + done, n);
        if (roll() % 4 == 0)
            await fm_sleep((int64_t)(roll() % 30000));
    }
    fm_close(s);
}

/* True at the end. The bytes are checked before it can be cut off again. */
async bool take(fm_stream *s)
{
    unsigned char buf[10000];
    size_t n = roll() % 8 ? roll() % 60 + 1 : roll() % sizeof(buf) + 1, got;
    switch (roll() % 3) {
    case 0:
        got = await fm_read(s, buf, n);
        break;
    case 1:
        got = await fm_read_exact(s, buf, n);
        wrong += got < n && at + got != BYTES;
        break;
    default:
        got = await fm_read_until(s, buf, n, 'q');
        unsigned char *q = memchr(buf, 'q', got);
        wrong += q ? q != buf + got - 1 : got < n && at + got != BYTES;
    }
    check(buf, got);
    return !got;
}

async bool take_some(fm_stream *s)
{
    fm_fault *f;
    bool end = false;
    fm_try {
        if (roll() % 2) {
            end = await fm_within((int64_t)(roll() % 20000), take(s));
        } else {
            FM_TASK(bool) t = fm_start(take(s));
            if (roll() % 2)
                await fm_yield();
            fm_cancel(t);
            end = await fm_join(t);
        }
    }
    fm_catch (f) {
        cut++;
    }
    return end;
}

async void run(int fd[2])
{
    at = 0;
    fm_stream *a = fm_stream_open(fd[0]), *b = fm_stream_open(fd[1]);
    FM_TASK(void) writer = fm_start(put(b));
    while (!await take_some(a))
        ;
    await fm_join(writer);
    fm_close(a);
    printf("%zu bytes, %d wrong, %s\n", at, wrong,
           cut > 100 ? "many cut off" : "few cut off");
}

async int main(void)
{
    int fd[2];
    for (size_t i = 0; i < BYTES; i++)
        text[i] = (unsigned char)('a' + roll() % 20);
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    await run(fd);
    if (pipe(fd))
        return 1;
    await run(fd);
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 1);
    fm_stream *s = await fm_tcp_connect(NULL, fm_listener_port(l));
    fm_stream *t = await fm_accept(l);
    fd[0] = dup(fm_stream_fd(s));
    fd[1] = dup(fm_stream_fd(t));
    fm_close(s);
    fm_close(t);
    await run(fd);
    fm_listener_close(l);
    return 0;
}

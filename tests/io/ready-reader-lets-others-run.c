// A task whose reads and writes always succeed at once does not keep others
// of its loop from running.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <sys/socket.h>

static bool stop;

async void busy(void)
{
    int fd[2];
    char c = 'x';
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    fm_stream *s = fm_stream_open(fd[0]), *other = fm_stream_open(fd[1]);
    while (!stop) {
        await fm_write(s, &c, 1);
        await fm_read(other, &c, 1);
    }
    fm_close(s);
    fm_close(other);
}

async int main(void)
{
    FM_TASK(void) t = fm_start(busy());
    for (int i = 0; i < 20; i++)
        await fm_sleep(FM_MS(1));
    for (int i = 0; i < 100; i++)
        await fm_yield();
    stop = true;
    await fm_join(t);
    puts("both ran");
    return 0;
}

// What several tasks write to one stream arrives whole, in the order in which
// they began, however small the socket's buffer.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
// threads

enum { WRITERS = 8, BYTES = 100000 };

async void put(fm_stream *s, int who)
{
    char buf[BYTES];
    memset(buf, 'a' + who, sizeof(buf));
    size_t n = await fm_write(s, buf, sizeof(buf));
    if (n != sizeof(buf))
        printf("wrote %zu\n", n);
}

async void drain(fm_stream *s)
{
    char buf[777];
    long runs[WRITERS] = {0};
    size_t n;
    int last = -1, changes = 0;
    while ((n = await fm_read(s, buf, sizeof(buf))) > 0)
        for (size_t i = 0; i < n; i++) {
            runs[buf[i] - 'a']++;
            changes += buf[i] != last;
            last = buf[i];
        }
    for (int i = 0; i < WRITERS; i++)
        printf("%c %ld\n", 'a' + i, runs[i]);
    printf("%d runs, the last of %c\n", changes, last);
}

async int main(void)
{
    FM_TASK(void) tasks[WRITERS];
    int fd[2], small = 4096;
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    setsockopt(fd[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
    fm_stream *s = fm_stream_open(fd[0]), *other = fm_stream_open(fd[1]);
    for (int i = 0; i < WRITERS; i++)
        tasks[i] = fm_start(put(s, i));
    FM_TASK(void) reader = fm_start(drain(other));
    for (int i = 0; i < WRITERS; i++)
        await fm_join(tasks[i]);
    fm_close(s);
    await fm_join(reader);
    fm_close(other);
    return 0;
}

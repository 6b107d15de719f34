// Writing to a pipe or socket that nobody reads is a fault EPIPE: SIGPIPE does
// not kill, and none is left pending.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

async void put(int fd, int other)
{
    size_t n;
    sigset_t pending;
    fm_stream *s = fm_stream_open(fd);
    close(other);
    for (int i = 0; i < 2; i++) {
        fm_fault *f = await fm_attempt(&n, fm_write(s, "x", 1));
        printf("%s\n", f && fm_fault_code(f) == EPIPE ? "EPIPE" : "?");
    }
    sigpending(&pending);
    printf("%d pending\n", sigismember(&pending, SIGPIPE));
    fm_close(s);
}

async int main(void)
{
    int fd[2];
    if (pipe(fd))
        return 1;
    await put(fd[1], fd[0]);
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    await put(fd[0], fd[1]);
    return 0;
}

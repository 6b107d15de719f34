// After a fork the child that calls fm_atfork_child goes on alone: its loop,
// sleeps and streams work, the parent's other tasks do not run in it, and the
// parent's do not suffer.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
// not: tsan asan

static int ticks;

async void tick(void)
{
    for (;;) {
        await fm_sleep(FM_MS(1));
        ticks++;
    }
}

async void wait_for(fm_stream *s)
{
    char c;
    await fm_read(s, &c, 1);
    printf("parent reads %c\n", c);
}

async int child(fm_stream *s)
{
    int fd[2];
    char c;
    fm_atfork_child();
    ticks = 0;
    await fm_sleep(FM_MS(20));
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    fm_stream *a = fm_stream_open(fd[0]), *b = fm_stream_open(fd[1]);
    FM_TASK(size_t) t = fm_start(fm_read(b, &c, 1));
    await fm_sleep(FM_MS(1));
    await fm_write(a, "y", 1);
    await fm_join(t);
    await fm_write(s, &c, 1);
    fm_close(a);
    fm_close(b);
    return ticks ? 1 : 7;
}

async int main(void)
{
    int fd[2], status;
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    fm_stream *a = fm_stream_open(fd[0]), *b = fm_stream_open(fd[1]);
    FM_TASK(void) ticking = fm_start(tick());
    FM_TASK(void) reader = fm_start(wait_for(a));
    await fm_sleep(FM_MS(5));
    pid_t pid = fork();
    if (!pid)
        return await child(b);
    int before = ticks;
    await fm_join(reader);
    while (waitpid(pid, &status, WNOHANG) == 0)
        await fm_sleep(FM_MS(1));
    printf("child %d, parent %s\n", WEXITSTATUS(status),
           ticks > before ? "ticks on" : "stands");
    pid = fork();
    if (!pid)
        await fm_sleep(1); // aborts with a sentence
    waitpid(pid, &status, 0);
    printf("%s\n", WIFSIGNALED(status) ? "aborted" : "went on");
    fm_release(ticking);
    fm_close(a);
    fm_close(b);
    return 0;
}

// fm_close wakes each task that waits in the stream with one fault ECANCELED.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
// threads

static int ended;

async void use(fm_stream *s, const char *who, bool reads)
{
    static char big[1 << 22];
    char c;
    size_t n;
    fm_fault *f = reads ? await fm_attempt(&n, fm_read(s, &c, 1))
                        : await fm_attempt(&n, fm_write(s, big, sizeof(big)));
    printf("%s: %s\n", who,
           f && fm_fault_code(f) == ECANCELED ? "ECANCELED" : "?");
    ended++;
}

async int main(void)
{
    int fd[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    fm_stream *s = fm_stream_open(fd[0]), *other = fm_stream_open(fd[1]);
    FM_TASK(void) reader = fm_start(use(s, "reader", true));
    FM_TASK(void) behind = fm_start(use(s, "reader behind it", true));
    FM_TASK(void) writer = fm_start(use(s, "writer", false));
    FM_TASK(void) next = fm_start(use(s, "writer behind it", false));
    await fm_sleep(FM_MS(10));
    printf("%d ended\n", ended);
    fm_close(s);
    await fm_join(reader);
    await fm_join(behind);
    await fm_join(writer);
    await fm_join(next);
    printf("%d ended\n", ended);
    fm_close(other);
    return 0;
}

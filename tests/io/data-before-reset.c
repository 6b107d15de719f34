// What the other end sent is read before its reset is told, and a write that
// learns of the reset first does not turn it into a clean end.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

async fm_stream *reset_by_peer(fm_listener *l)
{
    struct linger hard = {1, 0};
    char got;
    fm_stream *s = await fm_tcp_connect(NULL, fm_listener_port(l));
    fm_stream *peer = await fm_accept(l);
    await fm_write(s, "x", 1);
    await fm_read(peer, &got, 1);
    await fm_write(peer, "last words", 10);
    await fm_sleep(FM_MS(5));
    setsockopt(fm_stream_fd(peer), SOL_SOCKET, SO_LINGER, &hard,
               sizeof(hard));
    fm_close(peer);
    await fm_sleep(FM_MS(5));
    return s;
}

async void read_all(fm_stream *s)
{
    char buf[64];
    size_t n = 0;
    for (int i = 0; i < 3; i++) {
        fm_fault *f = await fm_attempt(&n, fm_read(s, buf, sizeof(buf)));
        if (f)
            printf("%s\n", fm_fault_message(f));
        else
            printf("%zu bytes\n", n);
    }
}

async int main(void)
{
    size_t n;
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 1);
    fm_stream *s = await reset_by_peer(l);
    await read_all(s);
    fm_close(s);
    s = await reset_by_peer(l);
    fm_fault *f = await fm_attempt(&n, fm_write(s, "y", 1));
    printf("write: %s\n", f ? fm_fault_message(f) : "went out");
    await read_all(s);
    fm_close(s);
    fm_listener_close(l);
    return 0;
}

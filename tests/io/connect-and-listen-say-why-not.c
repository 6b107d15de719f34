// What connect and listen cannot do is a fault with the errno value; nothing
// stays open.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <unistd.h>

async void try_connect(const char *host, int port)
{
    fm_stream *s;
    fm_fault *f = await fm_attempt(&s, fm_tcp_connect(host, port));
    printf("%s\n", f ? fm_fault_message(f) : "connected");
    if (!f)
        fm_close(s);
}

async void try_listen(const char *host, int port)
{
    fm_listener *l;
    fm_fault *f = await fm_attempt(&l, fm_tcp_listen(host, port, 1));
    printf("%s\n", f ? fm_fault_message(f) : "listens");
    if (!f)
        fm_listener_close(l);
}

static int
lowest_free(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

async int main(void)
{
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 1);
    int port = fm_listener_port(l), before = lowest_free();
    await try_connect("localhost", port);
    await try_connect("", port);
    await try_connect("127.0.0.1", 70000);
    await try_listen("127.0.0.1", port);
    await try_listen("192.0.2.1", 0);
    await try_listen("", 0);
    await try_listen(NULL, 0);
    fm_listener_close(l);
    await try_connect("127.0.0.1", port);
    printf("%s\n", lowest_free() <= before ? "nothing open" : "open");
    return 0;
}

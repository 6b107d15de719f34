/* proxy.c PORT [OWN-PORT]: passes connections on to PORT, each way at its own
 * pace, and gives up one that is silent for ten seconds. */
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <stdlib.h>

#define PATIENCE FM_S(10)

async void copy(fm_stream *from, fm_stream *to)
{
    char buf[16384];
    size_t n;

    while ((n = await fm_within(PATIENCE, fm_read(from, buf, sizeof(buf)))))
        await fm_within(PATIENCE, fm_write(to, buf, n));
    await fm_shutdown(to);
}

async void serve(fm_stream *client, int port)
{
    FM_DEFER fm_close(client);
    fm_stream *server =
        await fm_within(FM_S(2), fm_tcp_connect("127.0.0.1", port));
    FM_DEFER fm_close(server);
    FM_AUTO FM_TASK(void) up = fm_start(copy(client, server));
    FM_AUTO FM_TASK(void) down = fm_start(copy(server, client));

    await fm_all_of(up, down);
}

async void serve_or_say_why(fm_stream *client, int port)
{
    fm_fault *f = await fm_attempt(NULL, serve(client, port));

    if (f)
        fprintf(stderr, "proxy: %s\n", fm_fault_message(f));
}

async int main(int argc, char **argv)
{
    int port = argc > 1 ? atoi(argv[1]) : 0;
    int own = argc > 2 ? atoi(argv[2]) : 0;
    fm_listener *l = await fm_tcp_listen("127.0.0.1", own, 128);

    printf("proxy: port %d\n", fm_listener_port(l));
    fflush(stdout);
    for (;;) {
        fm_stream *client = await fm_accept(l);
        fm_detach(serve_or_say_why(client, port));
    }
}

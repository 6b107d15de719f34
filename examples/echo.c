/* echo.c [PORT]: sends back what it gets, to any number of clients. */
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <stdlib.h>

async void serve(fm_stream *client)
{
    char buf[4096];
    size_t n;

    FM_DEFER fm_close(client);
    while ((n = await fm_read(client, buf, sizeof(buf))) > 0)
        await fm_write(client, buf, n);
}

async int main(int argc, char **argv)
{
    int port = argc > 1 ? atoi(argv[1]) : 0;
    fm_listener *l = await fm_tcp_listen("127.0.0.1", port, 128);

    printf("echo: port %d\n", fm_listener_port(l));
    fflush(stdout);
    for (;;) {
        fm_stream *client = await fm_accept(l);
        fm_detach(serve(client));
    }
}

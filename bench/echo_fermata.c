/* echo_fermata.c: s11 in Fermata: a task for each connection.
 *
 * Prints its port and serves until it is killed.
 */
#include <stdio.h>

#include <fermata.h>
#include <fermata/io.h>

static async void
serve(fm_stream *s)
{
    char buf[4096];
    FM_DEFER fm_close(s);
    size_t n;
    while ((n = await fm_read(s, buf, sizeof buf)) > 0)
        await fm_write(s, buf, n);
}

async int
main(void)
{
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 128);
    printf("%d\n", fm_listener_port(l));
    fflush(stdout);
    for (;;)
        fm_detach(serve(await fm_accept(l)));
}

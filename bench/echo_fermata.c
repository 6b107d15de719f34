/* echo_fermata.c: s11 in Fermata: a task for each connection.
 *
 * Prints its port and serves until it is killed, on main's thread or, with the
 * word pool, on the pool.
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

static async void
accept_all(fm_listener *l)
{
    for (;;)
        fm_detach(serve(await fm_accept(l)));
}

async int
main(int argc, char **argv)
{
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 128);
    (void)argv;
    printf("%d\n", fm_listener_port(l));
    fflush(stdout);
    if (argc > 1)
        await fm_switch(fm_pool());
    await accept_all(l);
    return 0;
}

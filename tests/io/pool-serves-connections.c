/* Connections served on the pool get every byte back, whichever worker a task
 * is on, and however long a worker is busy. */
// threads
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECTIONS = 40, MESSAGES = 60 };

async void
serve(fm_stream *s)
{
    char buf[256];
    size_t n;

    FM_DEFER fm_close(s);
    while ((n = await fm_read(s, buf, sizeof buf)) > 0) {
        if (buf[0] % 7 == 0)
            await fm_yield();
        await fm_write(s, buf, n);
    }
}

async int
talk(int port, int id)
{
    fm_stream *s = await fm_tcp_connect("localhost", port);
    char out[64], in[64];
    int good = 0;

    FM_DEFER fm_close(s);
    for (int i = 0; i < MESSAGES; i++) {
        memset(out, (id + i) % 128, sizeof out);
        await fm_write(s, out, sizeof out);
        if (await fm_read_exact(s, in, sizeof in) == sizeof in)
            good += !memcmp(in, out, sizeof in);
        if ((id + i) % 9 == 0)
            await fm_sleep(FM_US(50));
    }
    return good;
}

async void
accept_all(fm_listener *l)
{
    for (;;)
        fm_detach(serve(await fm_accept(l)));
}

/* Several workers, however many cores there are. */
__attribute__((constructor)) static void
size_of_pool(void)
{
    setenv("FERMATA_POOL", "3", 0);
}

async int
main(void)
{
    fm_listener *l = await fm_tcp_listen("localhost", 0, 64);
    FM_TASK(void) server = fm_start_on(fm_pool(), accept_all(l));
    FM_TASK(int) t[CONNECTIONS];
    int good = 0;

    for (int i = 0; i < CONNECTIONS; i++)
        t[i] = fm_start_on(fm_pool(), talk(fm_listener_port(l), i));
    for (int i = 0; i < CONNECTIONS; i++)
        good += await fm_join(t[i]);
    fm_cancel(server);
    fm_fault *f = await fm_attempt(NULL, fm_join(server));
    printf("%d of %d, server %s\n", good, CONNECTIONS * MESSAGES,
           f ? fm_fault_message(f) : "ended");
    fm_listener_close(l);
    return 0;
}

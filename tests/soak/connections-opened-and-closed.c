// Connections are opened, used and closed by the thousand (N=100000), in flat
// memory and without a descriptor left.
// time: 60
// only: O2 asan
#include "soak.h"
#include <fermata/io.h>
#include <fermata/sync.h>

static int port;
static long served;

async void serve(fm_stream *s)
{
    char c;
    FM_DEFER fm_close(s);
    while (await fm_read(s, &c, 1))
        await fm_write(s, &c, 1);
    served++;
}

async void server(fm_listener *l)
{
    FM_GROUP(g);
    for (;;)
        fm_group_start(&g, serve(await fm_accept(l)));
}

/* Each to an address of its own: one has ports for some 28,000 that wait for
 * their last segments. */
async void client(int i, long n)
{
    char host[32];
    snprintf(host, sizeof host, "127.0.0.%d", i + 1);
    for (char c = 0, back; n-- > 0; c++) {
        fm_stream *s = await fm_tcp_connect(host, port);
        FM_DEFER fm_close(s);
        await fm_write(s, &c, 1);
        OK(await fm_read(s, &back, 1) == 1 && back == c);
    }
}

async void many(long n)
{
    FM_GROUP(g);
    for (int i = 0; i < 50; i++)
        fm_group_start(&g, client(i, n / 50));
    await fm_group_close(&g);
}

async int main(void)
{
    long n = amount("N", 5000);
    fm_listener *l = await fm_tcp_listen("0.0.0.0", 0, 128);
    port = fm_listener_port(l);
    FM_TASK(void) t = fm_start(server(l));
    await many(n / 5);
    long before = resident_kib(), descriptors = open_descriptors();
    await many(n - n / 5);
    while (served < n / 50 / 5 * 250)
        await fm_sleep(FM_MS(1));
    OK(open_descriptors() == descriptors);
    flat(before, resident_kib());
    printf("%ld connections, %ld KiB\n", served, resident_kib());
    fm_cancel(t);
    fm_fault *f = await fm_attempt(NULL, fm_join(t));
    OK(f);
    fm_listener_close(l);
    return 0;
}

// A cancelled operation ends with ECANCELED, is out of the stream, and the
// next one of its kind works.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
// threads

static fm_stream *s, *peer;
static fm_listener *l;
static char big[1 << 22];

async void read_one(void) { await fm_read(s, (char[8]){0}, 8); }
async void read_eight(void) { await fm_read_exact(s, (char[8]){0}, 8); }
async void read_line(void) { await fm_read_until(s, (char[8]){0}, 8, 10); }
async void write_big(void) { await fm_write(s, big, sizeof(big)); }
async void accept_one(void) { fm_close(await fm_accept(l)); }
async void sleep_long(void) { await fm_sleep(FM_S(100)); }
async void sleep_ever(void) { await fm_sleep(FM_FOREVER); }

typedef async void operation(void);
static operation *const all[] = {read_one,   read_eight, read_line, write_big,
                                 accept_one, sleep_long, sleep_ever};

async void drain(void)
{
    for (size_t left = sizeof(big); left;)
        left -= await fm_read(peer, big, sizeof(big));
}

async void cancel(operation *run, int after)
{
    FM_TASK(void) t = fm_start(run());
    for (int i = 0; i < after; i++)
        await fm_yield();
    fm_cancel(t);
    fm_fault *f = await fm_attempt(NULL, fm_join(t));
    if (!f || fm_fault_code(f) != ECANCELED)
        printf("no ECANCELED\n");
}

async int main(void)
{
    int fd[2];
    l = await fm_tcp_listen("127.0.0.1", 0, 8);
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        for (int after = 0; after < 3; after++) {
            socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
            s = fm_stream_open(fd[0]);
            peer = fm_stream_open(fd[1]);
            await cancel(all[i], after);
            await cancel(all[i], after);
            FM_TASK(void) d = fm_start(drain());
            if (all[i] == write_big)
                fm_cancel(d);
            else
                await write_big();
            fm_release(d);
            await fm_write(peer, "12345678\n", 9);
            await read_one();
            fm_close(s);
            fm_close(peer);
        }
    puts("done");
    fm_listener_close(l);
    return 0;
}

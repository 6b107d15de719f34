// Connections accepted on one loop are served on others: each is answered,
// and its memory goes from thread to thread without a trace of its last use.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
// threads
// time: 60

enum { LOOPS = 3, CLIENTS = 8, ROUNDS = 40 };
static fm_executor *loops[LOOPS];

async void serve(fm_stream *s)
{
    char buf[64];
    size_t n;
    FM_DEFER fm_close(s);
    while ((n = await fm_read(s, buf, sizeof(buf))) > 0)
        await fm_write(s, buf, n);
}

async void listen_on(fm_listener *l)
{
    for (unsigned i = 0;; i++) {
        fm_stream *s = await fm_accept(l);
        fm_release(fm_start_on(loops[i % LOOPS], serve(s)));
    }
}

async int client(int port, int who)
{
    char buf[64];
    int good = 0;
    for (int i = 0; i < ROUNDS; i++) {
        fm_stream *s = await fm_tcp_connect(NULL, port);
        FM_DEFER fm_close(s);
        for (int k = 0; k < 3; k++) {
            int n = snprintf(buf, sizeof(buf), "%d/%d/%d", who, i, k);
            char back[64];
            await fm_write(s, buf, (size_t)n);
            size_t got = await fm_read_exact(s, back, (size_t)n);
            good += got == (size_t)n && !__builtin_memcmp(buf, back, got);
        }
    }
    return good;
}

async int main(void)
{
    FM_TASK(int) tasks[CLIENTS];
    int good = 0;
    for (int i = 0; i < LOOPS; i++)
        loops[i] = fm_loop_new();
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 64);
    FM_TASK(void) listening = fm_start(listen_on(l));
    for (int i = 0; i < CLIENTS; i++)
        tasks[i] = fm_start_on(loops[i % LOOPS],
                               client(fm_listener_port(l), i));
    for (int i = 0; i < CLIENTS; i++)
        good += await fm_join(tasks[i]);
    printf("%d of %d\n", good, CLIENTS * ROUNDS * 3);
    fm_cancel(listening);
    fm_fault *f = await fm_attempt(NULL, fm_join(listening));
    printf("%s\n", f ? fm_fault_message(f) : "?");
    fm_listener_close(l);
    await fm_sleep(FM_MS(20));
    for (int i = 0; i < LOOPS; i++)
        fm_executor_free(loops[i]);
    return 0;
}

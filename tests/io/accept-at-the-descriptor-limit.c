// At the descriptor limit fm_accept waits without spinning, says so once, and
// goes on when there is room.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static int taken[64], n;

static void
take_all(void)
{
    struct rlimit limit = {40, 40};
    setrlimit(RLIMIT_NOFILE, &limit);
    while ((taken[n] = dup(0)) >= 0)
        n++;
}

async fm_stream *accept_late(fm_listener *l)
{
    clock_t cpu = clock();
    fm_stream *s = await fm_accept(l);
    cpu = clock() - cpu;
    printf("%s\n", cpu < CLOCKS_PER_SEC / 20 ? "did not spin" : "span");
    return s;
}

async int main(void)
{
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 8);
    fm_stream *a = await fm_tcp_connect(NULL, fm_listener_port(l));
    fm_stream *b = await fm_tcp_connect(NULL, fm_listener_port(l));
    take_all();
    for (int i = 0; i < 2; i++) {
        FM_TASK(fm_stream *) late = fm_start(accept_late(l));
        await fm_sleep(FM_MS(200));
        printf("%s\n", fm_status(late) == FM_RUNNING ? "waits" : "ended");
        close(taken[--n]);
        fm_stream *s = await fm_join(late);
        printf("accepted\n");
        fm_close(s);
        taken[n++] = dup(0);
    }
    FM_TASK(fm_stream *) never = fm_start(accept_late(l));
    await fm_sleep(FM_MS(5));
    fm_cancel(never);
    fm_stream *none;
    fm_fault *f = await fm_attempt(&none, fm_join(never));
    printf("%s\n", f ? "cancelled" : "?");
    fm_close(a);
    fm_close(b);
    fm_listener_close(l);
    return 0;
}

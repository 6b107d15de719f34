// Ten thousand connections are open at once, each is answered, all end.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <sys/resource.h>
// time: 60
// not: O1 O3 Os

static int opened, answered;

async void serve(fm_stream *s)
{
    char c;
    FM_DEFER fm_close(s);
    while (await fm_read(s, &c, 1))
        await fm_write(s, &c, 1);
}

async void listen_on(fm_listener *l)
{
    for (;;) {
        fm_stream *s = await fm_accept(l);
        fm_detach(serve(s));
    }
}

async void client(int port, fm_task *gate)
{
    char c = 'x';
    fm_stream *s = await fm_tcp_connect(NULL, port);
    FM_DEFER fm_close(s);
    opened++;
    await fm_get((FM_TASK(void))gate);
    await fm_write(s, &c, 1);
    answered += (int)await fm_read(s, &c, 1);
}

async int main(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    int n = limit.rlim_max > 20100 ? 10000 : (int)limit.rlim_max / 2 - 50;
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 4096);
    FM_TASK(void) listening = fm_start(listen_on(l));
    FM_TASK(void) tasks[10000];
    FM_SOURCE(void) open = fm_source_new(void);
    FM_TASK(void) gate = fm_source_task(open);
    for (int i = 0; i < n; i++)
        tasks[i] = fm_start(client(fm_listener_port(l), fm_task_of(gate)));
    while (opened < n)
        await fm_sleep(FM_MS(1));
    fm_source_set_void(open);
    for (int i = 0; i < n; i++)
        await fm_join(tasks[i]);
    printf("%s\n", answered == n ? "all answered" : "?");
    fm_release(gate);
    fm_source_release(open);
    fm_cancel(listening);
    fm_release(listening);
    fm_listener_close(l);
    return 0;
}

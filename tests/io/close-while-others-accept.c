// fm_listener_close wakes every task that waits in fm_accept, and connections
// that were not accepted are closed.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>

async int take(fm_listener *l)
{
    fm_stream *s;
    fm_fault *f = await fm_attempt(&s, fm_accept(l));
    if (!f)
        fm_close(s);
    return f ? fm_fault_code(f) : 0;
}

async int main(void)
{
    FM_TASK(int) tasks[4];
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 8);
    for (int i = 0; i < 4; i++)
        tasks[i] = fm_start(take(l));
    fm_stream *a = await fm_tcp_connect(NULL, fm_listener_port(l));
    int taken = await fm_join(tasks[0]);
    fm_cancel(tasks[2]);
    int cancelled = await fm_join(tasks[2]);
    fm_listener_close(l);
    int second = await fm_join(tasks[1]), last = await fm_join(tasks[3]);
    printf("%d %d %d %d\n", taken, cancelled == ECANCELED,
           second == ECANCELED, last == ECANCELED);
    fm_close(a);
    return 0;
}

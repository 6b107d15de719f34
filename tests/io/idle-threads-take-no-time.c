// While all wait - pool, loops, lanes, sockets, timers - the process takes no
// processor time to speak of.
// threads
// time: 60
#include "../rt/ok.h"
#include <fermata/io.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

async void hear(fm_stream *s)
{
    char c;
    await fm_read(s, &c, 1);
}

static int nothing(void)
{
    return 1;
}

async int works(int n)
{
    for (int i = 0; i < 50; i++)
        await fm_yield();
    await fm_sleep(FM_MS(n % 3));
    return await fm_blocking(nothing());
}

static int64_t processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static fm_stream *stream_of(int fds[2])
{
    OK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
    return fm_stream_open(fds[0]);
}

__attribute__((constructor)) static void size_of_pool(void)
{
    setenv("FERMATA_POOL", "4", 0);
}

async int main(void)
{
    enum { TASKS = 40 };
    FM_TASK(int) t[TASKS];
    FM_TASK(void) waits[3];
    int fds[3][2];
    fm_executor *loop = fm_loop_new(), *at[] = {fm_loop(), fm_pool(), loop};
    fm_stream *s[3];

    for (int i = 0; i < 3; i++) {
        s[i] = stream_of(fds[i]);
        waits[i] = fm_start_on(at[i], hear(s[i]));
    }
    for (int i = 0; i < TASKS; i++)
        t[i] = fm_start_on(at[i % 3], works(i));
    for (int i = 0; i < TASKS; i++)
        OK(await fm_join(t[i]) == 1);
    await fm_sleep(FM_MS(300)); /* the watch of the pool ends */
    int64_t before = processor_time();
    await fm_sleep(FM_S(1));
    int64_t took = processor_time() - before;
    if (took > FM_MS(100))
        fprintf(stderr, "%lld us\n", (long long)took / 1000);
    OK(took <= FM_MS(100)); /* one thread that spins takes ten times that */
    for (int i = 0; i < 3; i++) {
        OK(write(fds[i][1], "x", 1) == 1);
        await fm_join(waits[i]);
        fm_close(s[i]);
        close(fds[i][1]);
    }
    fm_executor_free(loop);
    return 0;
}

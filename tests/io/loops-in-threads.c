// Each of many threads has a loop of its own; loops with a thread of their
// own run what is started on them; ended threads leave nothing behind.
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
// threads

enum { THREADS = 8, ROUNDS = 50 };

async int ping(int rounds)
{
    int fd[2], sum = 0;
    char c = 1;
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    fm_stream *a = fm_stream_open(fd[0]), *b = fm_stream_open(fd[1]);
    FM_DEFER fm_close(a);
    FM_DEFER fm_close(b);
    for (int i = 0; i < rounds; i++) {
        FM_TASK(size_t) t = fm_start(fm_read(b, &c, 1));
        await fm_sleep(FM_US(i));
        await fm_write(a, &c, 1);
        sum += (int)await fm_join(t);
    }
    return sum;
}

static void *
thread(void *arg)
{
    *(int *)arg = fm_wait(ping(ROUNDS));
    return NULL;
}

static int
in_threads(void)
{
    pthread_t threads[THREADS];
    int got[THREADS], sum = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, &got[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += got[i];
    }
    return sum;
}

static async int on_loops(void)
{
    fm_executor *loops[THREADS];
    FM_TASK(int) tasks[THREADS];
    int sum = 0;
    for (int i = 0; i < THREADS; i++) {
        loops[i] = fm_loop_new();
        tasks[i] = fm_start_on(loops[i], ping(ROUNDS));
    }
    for (int i = 0; i < THREADS; i++)
        sum += await fm_join(tasks[i]);
    for (int i = 0; i < THREADS; i++)
        fm_executor_free(loops[i]);
    return sum;
}

int
main(void)
{
    for (int i = 0; i < 3; i++)
        printf("%d %d\n", in_threads(), fm_wait(on_loops()));
    return 0;
}

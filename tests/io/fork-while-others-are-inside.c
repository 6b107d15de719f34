/* A fork at any moment of what other threads do in the runtime: the child that
 * calls fm_atfork_child finds none of its locks taken. */
#include "../rt/ok.h"
#include <fermata/io.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>
// not: tsan asan

enum { THREADS = 3, FORKS = 60 };
static atomic_bool over;

static int
nothing(void)
{
    return 7;
}

async int
work(void)
{
    await fm_yield();
    return 7;
}

/* Standard streams, blocks and tasks, the pool, and what is called there. */
async int
uses_all(void)
{
    int sum = fm_stdin() && fm_stdout() && fm_stderr() ? 7 : 0;

    sum += await fm_join(fm_start_on(fm_pool(), work()));
    sum += await fm_blocking(nothing());
    return sum + await work();
}

static void *
busy(void *arg)
{
    while (!atomic_load(&over))
        OK(fm_wait(uses_all()) == 28);
    return arg;
}

/* A lock that stays taken would keep it for ever. */
async int
child(void)
{
    alarm(30);
    fm_atfork_child();
    return await uses_all();
}

async int
main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        OK(!pthread_create(&threads[i], NULL, busy, NULL));
    for (int i = 0; i < FORKS; i++) {
        int status = 0;
        pid_t pid = fork();
        if (!pid)
            _exit(await child());
        OK(pid > 0);
        await fm_blocking(waitpid(pid, &status, 0));
        OK(WIFEXITED(status) && WEXITSTATUS(status) == 28);
    }
    atomic_store(&over, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}

/* The child of a fork that calls fm_atfork_child has a pool and blocking
 * threads of its own, forked by main or by a task of the pool. */
#include <fermata.h>
#include <fermata/io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
// not: tsan asan

static atomic_int ticks;

async void
tick(void)
{
    for (;;) {
        await fm_sleep(FM_MS(1));
        atomic_fetch_add(&ticks, 1);
    }
}

static int
add(int a, int b)
{
    return a + b;
}

async int
work(int n)
{
    await fm_sleep(FM_MS(n));
    return await fm_blocking(add(n, 1));
}

async int
child(void)
{
    FM_TASK(int) t[8];
    int sum = 0;

    fm_atfork_child();
    atomic_store(&ticks, 0);
    for (int i = 0; i < 8; i++)
        t[i] = fm_start_on(fm_pool(), work(i));
    for (int i = 0; i < 8; i++)
        sum += await fm_join(t[i]);
    return atomic_load(&ticks) ? 1 : sum;
}

async int
try(const char *where)
{
    int status = 0;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid)
        _exit(await child());
    await fm_blocking(waitpid(pid, &status, 0));
    printf("%s: child %d\n", where,
           WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    return 0;
}

__attribute__((constructor)) static void
set_up(void)
{
    setenv("FERMATA_POOL", "3", 0);
}

async int
main(void)
{
    FM_TASK(void) t[6];
    for (int i = 0; i < 6; i++)
        t[i] = fm_start_on(fm_pool(), tick());
    await fm_sleep(FM_MS(20));
    for (int i = 0; i < 10; i++) {
        await try("main");
        await fm_join(fm_start_on(fm_pool(), try("pool")));
    }
    int before = ticks;
    await fm_sleep(FM_MS(20));
    printf("parent %s\n", ticks > before ? "ticks on" : "stands");
    for (int i = 0; i < 6; i++)
        fm_release(t[i]);
    return 0;
}

// In the child of a fork the loops of the parent's other threads are dead: they
// can be freed, hold no descriptors, and who waits for one waits in vain, which
// is told; the parent's go on. Without a fork, fm_atfork_child does nothing.
// not: tsan
#include "../rt/ok.h"
#include <fermata/io.h>
#include <sys/wait.h>
#include <unistd.h>

static fm_executor *loop;

async int works(int n)
{
    await fm_sleep(FM_US(100));
    return n;
}

static int descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 100; fd++)
        n += dup2(fd, fd) == fd;
    return n;
}

async int waits_in_vain(void)
{
    freopen("said", "w", stderr);
    return await fm_join(fm_start_on(loop, works(2)));
}

async int frees_and_works(int before)
{
    OK(descriptors() == before - 2);
    fm_executor_free(loop);
    fm_executor *other = fm_loop_new();
    int n = await fm_join(fm_start_on(other, works(3)));
    fm_executor_free(other);
    return n + await fm_join(fm_start_on(fm_pool(), works(4)));
}

async int child(int which)
{
    int status, before = descriptors();
    pid_t pid = fork();
    if (!pid) {
        fm_atfork_child();
        _exit(which ? await frees_and_works(before) : await waits_in_vain());
    }
    while (waitpid(pid, &status, WNOHANG) == 0)
        await fm_sleep(FM_MS(1));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

async int main(void)
{
    loop = fm_loop_new();
    OK(await fm_join(fm_start_on(loop, works(1))) == 1);
    FM_TASK(int) t = fm_start_on(loop, works(5));
    OK(await child(1) == 7);
    OK(await child(0) == 70);
    fm_atfork_child();
    OK(await fm_join(t) == 5);
    OK(await fm_join(fm_start_on(loop, works(6))) == 6);
    OK(await fm_join(fm_start_on(fm_pool(), works(7))) == 7);
    fm_executor_free(loop);
    return 0;
}

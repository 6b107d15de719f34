/* The pool that finds no descriptors for its first worker says so and waits
 * until there are; what was started on it then ends. */
#include "../rt/ok.h"
#include <fcntl.h>
#include <fermata/io.h>
#include <sys/resource.h>
#include <unistd.h>

async int
work(void)
{
    await fm_sleep(FM_MS(1));
    return 7;
}

async int
main(void)
{
    struct rlimit limit = {64, 64};
    int fd, last = -1;

    await fm_yield(); /* this loop has its own */
    setrlimit(RLIMIT_NOFILE, &limit);
    while ((fd = open("/dev/null", O_RDONLY)) >= 0)
        last = fd;
    FM_TASK(int) t = fm_start_on(fm_pool(), work());
    await fm_sleep(FM_MS(30));
    OK(fm_status(t) == FM_RUNNING);
    for (int i = 0; i < 8; i++)
        close(last - i);
    OK(await fm_join(t) == 7);
    return 0;
}

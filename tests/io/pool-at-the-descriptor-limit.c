/* Where there are no descriptors for more workers the pool is smaller, and all
 * its tasks end. */
#include <fcntl.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

async int
work(int n)
{
    for (int i = 0; i < 20; i++)
        if (i % 2)
            await fm_yield();
        else
            await fm_sleep(FM_US(n));
    return 1;
}

__attribute__((constructor)) static void
size_of_pool(void)
{
    setenv("FERMATA_POOL", "8", 1);
}

async int
main(void)
{
    FM_TASK(int) t[200];
    struct rlimit limit = {64, 64};
    int sum = 0, fd, opened[64], n = 0;

    sum += await fm_join(fm_start_on(fm_pool(), work(1)));
    setrlimit(RLIMIT_NOFILE, &limit);
    while ((fd = open("/dev/null", O_RDONLY)) >= 0)
        opened[n++] = fd;
    for (int i = 0; i < 200; i++)
        t[i] = fm_start_on(fm_pool(), work(i));
    for (int i = 0; i < 200; i++)
        sum += await fm_join(t[i]);
    printf("%d\n", sum);
    for (int i = 0; i < 8 && i < n; i++)
        close(opened[i]); /* what looks for leaks at the end opens files */
    return 0;
}

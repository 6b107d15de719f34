// errno is saved when a chain suspends and is there when it resumes.
// threads
#include "hop.h"
#include <errno.h>

static async int
failing(void)
{
    errno = ENOENT;
    HOP();
    if (errno != ENOENT)
        printf("after the hop: %d\n", errno);
    return errno == ENOENT;
}

static async void
other(void)
{
    for (int i = 0; i < 10; i++) {
        errno = EAGAIN;
        await fm_yield();
    }
}

async int
main(void)
{
    FM_TASK(void) t = fm_start(other());
    int ok = await failing();
    errno = EINTR;
    AWAY();
    printf("%d %d\n", ok, errno == EINTR);
    await fm_join(t);
    hop_end();
    return 0;
}

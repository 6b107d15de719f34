/* fm_blocking takes a call of an ordinary function, and is awaited. */
#include <fermata.h>
#include <unistd.h>

async int other(void);

async int
caller(void)
{
    int n = fm_blocking(getppid());
    n += await fm_blocking(other());
    return n + await fm_blocking(getppid());
}

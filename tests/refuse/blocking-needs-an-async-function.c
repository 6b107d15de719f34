/* fm_blocking awaits: an ordinary function cannot. */
#include <fermata.h>
#include <unistd.h>

int
ordinary(void)
{
    return fm_blocking(getppid());
}

#include "corner.h"
#include <errno.h>
static async int
set(int e)
{
    errno = e;
    SUSPEND();
    return errno;
}
async int
main(void)
{
    errno = 0;
    int a = await set(3);
    int b = errno;
    errno = 5;
    a += await val(1) * 0;
    int c = errno;
    int *ep = &errno;
    *ep = 9;
    SUSPEND();
    printf("%d %d %d %d\n", a, b, c, errno);
    return 0;
}

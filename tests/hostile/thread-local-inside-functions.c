// Function-local and pointed-to thread-locals work where nothing hops.
// plain
#include <fermata.h>
#include <errno.h>
#include <stdio.h>

static _Thread_local struct { int n; int ring[4]; } state;
_Thread_local int exported = 5;

static async int
counter(void)
{
    static _Thread_local int own = 10;
    own++;
    await fm_yield();
    state.ring[own & 3] += own;
    state.n++;
    await fm_yield();
    errno = own;
    exported += errno;
    return own;
}

async int
main(void)
{
    int s = 0;
    for (int i = 0; i < 6; i++)
        s = s * 3 + await counter();
    printf("%d %d %d %d %d\n", s, state.n, state.ring[1], state.ring[2],
           exported);
    return 0;
}

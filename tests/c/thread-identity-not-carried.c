// Thread-locals, errno and pthread_self are those of the thread that runs.
// id: X24
// threads
#include "hop.h"
#include <errno.h>

static _Thread_local int plain;
static _Thread_local struct { int a; int b[8]; } members;
_Thread_local long shown[4];

static int
wrong(const char *what)
{
    printf("%s is the other thread's\n", what);
    return 1;
}

/* Everything is set before the hop and must be untouched after it. */
static async int
element(int i)
{
    pthread_t before = pthread_self();
    int bad = 0;
    plain = 1, members.b[i] = 2, shown[i & 3] = 3, members.a = 4;
    HOP();
    if (pthread_equal(before, pthread_self()))
        bad += wrong("pthread_self");
    if (plain)
        bad += wrong("plain");
    if (members.b[i])
        bad += wrong("element");
    if (shown[i & 3])
        bad += wrong("exported element");
    if (members.a)
        bad += wrong("member");
    return bad;
}

static async int
in_loop(void)
{
    int bad = 0;
    for (int i = 0; i < 5; i++) {
        pthread_t before = pthread_self();
        members.b[3] += 1;
        if (members.b[3] != 1)
            bad += wrong("element in a loop");
        HOP();
        if (pthread_equal(before, pthread_self()))
            bad += wrong("pthread_self in a loop");
        if (members.b[3])
            bad += wrong("element after the hop");
    }
    return bad;
}

async int
main(void)
{
    pthread_t home = pthread_self();
    int bad = await element(5) + await element(2) + await in_loop();
    if (!pthread_equal(home, pthread_self()))
        bad += wrong("main");
    printf("%d\n", bad);
    return 0;
}

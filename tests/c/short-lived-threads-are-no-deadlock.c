// Waiting for many threads, each alive for a moment, is no deadlock.
// not: asan
#include "hop.h"

async int
main(void)
{
    int64_t end = fm_now() + FM_MS(400);
    int n = 0;
    while (fm_now() < end) {
        AWAY();
        n++;
    }
    printf("%d\n", n > 10);
    return 0;
}

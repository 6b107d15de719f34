// A function that went on on another thread can suspend again there.
// threads
#include "hop.h"

static async int
wanders(void)
{
    int n = 0;
    for (int i = 0; i < 3; i++) {
        HOP();
        await fm_yield();
        n++;
        HOP();
        HOP();
        AWAY();
        n++;
    }
    return n;
}

async int
main(void)
{
    fm_executor *own = fm_executor_self();
    printf("%d\n", await wanders());
    printf("%d\n", own == fm_executor_self());
    hop_end();
    return 0;
}

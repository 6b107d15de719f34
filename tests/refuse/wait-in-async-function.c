// fm_wait inside an async function is an error: it would block the thread.
#include <fermata.h>
async int one(void);
async int waits(void)
{
    int n = fm_wait(one());
    return fm_attempt_wait(&n, one()) ? 1 : n;
}

// fm_wait inside an async function is an error: it would block the thread.
#include <fermata.h>
async int one(void);
async int waits(void)
{
    int n = fm_wait(one());
    return fm_attempt_wait(&n, one()) ? 1 : n;
}
async int waits_for_task(FM_TASK(int) t)
{
    return fm_wait_task(t) + fm_wait_task_for(t, FM_S(1));
}
int ordinary(void)
{
    return await fm_wait(one());
}

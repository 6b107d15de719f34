// A hundred thousand completions that wake one another need no deep stack.
#include "ok.h"
#include <fermata.h>
#include <sys/resource.h>

enum { TASKS = 100000 };
static FM_SOURCE(int) sources[TASKS];

static async int
after(FM_TASK(int) t)
{
    return await fm_join(t) + 1;
}
static async void
passes_on(int i)
{
    FM_AUTO FM_TASK(int) t = fm_source_task(sources[i]);
    int n = await fm_get(t);
    if (i + 1 < TASKS)
        fm_source_set(sources[i + 1], n + 1); /* runs the next inside it */
}
static async int
sums(FM_TASK(int) done)
{
    int n = 0;
    for (int i = 0; i < TASKS; i++)
        n += await fm_get(done); /* never suspends, but yields now and then */
    return n;
}
static async void
flags(bool *flag)
{
    await fm_yield();
    *flag = true;
}
async int
main(void)
{
    struct rlimit small = {256 * 1024, 256 * 1024};
    setrlimit(RLIMIT_STACK, &small);
    FM_SOURCE(int) first = fm_source_new(int);
    FM_TASK(int) t = fm_source_task(first);
    for (int i = 0; i < TASKS; i++)
        t = fm_start(after(t));
    fm_source_set(first, 1);
    OK(await fm_join(t) == TASKS + 1);
    fm_source_release(first);

    for (int i = 0; i < TASKS; i++)
        sources[i] = fm_source_new(int);
    for (int i = 0; i < TASKS; i++)
        fm_detach(passes_on(i));
    FM_TASK(int) last = fm_source_task(sources[TASKS - 1]);
    fm_source_set(sources[0], 5);
    OK(await fm_join(last) == TASKS + 4);
    for (int i = 0; i < TASKS; i++)
        fm_source_release(sources[i]);

    bool flag = false;
    fm_detach(flags(&flag));
    FM_TASK(int) one = fm_completed(int, 1);
    t = fm_start(sums(one));
    OK(!flag || fm_status(t) != FM_DONE);
    OK(await fm_join(t) == TASKS && flag);
    fm_release(one);
    return 0;
}

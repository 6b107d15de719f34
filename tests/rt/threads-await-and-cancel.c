// Tasks on several loops await, complete and cancel one another's.
// threads
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>

enum { ROUNDS = 300, LOOPS = 2 };
static fm_executor *loops[LOOPS];

static async int
leaf(FM_TASK(int) from, int turns)
{
    for (int i = 0; i < turns; i++)
        await fm_yield();
    return await fm_get(from) + 1;
}
static async int
attempts(FM_TASK(int) t)
{
    int n = 0;
    fm_fault *f = await fm_attempt(&n, fm_get(t));
    if (f)
        OK(fm_fault_code(f) == ECANCELED);
    return f ? -1 : n;
}
static void *
completes(void *arg)
{
    FM_SOURCE(int) s = arg;
    fm_source_set(s, 10);
    fm_source_release(s);
    return NULL;
}
static async int
round_of(int i)
{
    pthread_t thread;
    FM_SOURCE(int) s = fm_source_new(int);
    FM_TASK(int) src = fm_source_task(s);
    FM_TASK(int) a = fm_start_on(loops[i % LOOPS], leaf(src, i % 3));
    FM_TASK(int) b = fm_start_on(loops[(i + 1) % LOOPS], leaf(a, i % 2));
    FM_TASK(int) c = fm_start_on(loops[i % LOOPS], attempts(b));
    FM_TASK(int) d = fm_start(attempts(b));
    OK(!pthread_create(&thread, NULL, completes, s));
    if (i % 4 == 0)
        fm_cancel(b);
    if (i % 4 == 1)
        fm_cancel(a);
    int vc = await fm_join(c), vd = await fm_join(d);
    OK(vc == vd && (vc == 12 || vc == -1));
    OK(i % 4 < 2 || vc == 12);
    pthread_join(thread, NULL);
    int n = 0; /* a borrows src: it must have ended */
    fm_fault *f = await fm_attempt(&n, fm_join(a));
    OK(f ? i % 4 == 1 : n == 11);
    fm_release(b);
    OK(await fm_join(src) == 10);
    return 0;
}
async int
main(void)
{
    for (int i = 0; i < LOOPS; i++)
        OK(loops[i] = fm_loop_new());
    for (int i = 0; i < ROUNDS; i++)
        await round_of(i);
    for (int i = 0; i < LOOPS; i++)
        fm_executor_free(loops[i]);
    return 0;
}

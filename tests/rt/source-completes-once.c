// A source is completed once, from any thread; dropping it cancels its task.
// threads
#include "ok.h"
#include <fermata.h>
#include <pthread.h>

static async int
gets(FM_TASK(int) t, int *order)
{
    int n = await fm_get(t);
    ++*order;
    return n;
}
static void *
sets(void *arg)
{
    FM_SOURCE(int) s = arg;
    fm_source_set(s, 42);
    fm_source_release(s);
    return NULL;
}
async int
main(void)
{
    int order = 0, n = 5;
    pthread_t thread;
    FM_SOURCE(int) s = fm_source_new(int);
    FM_TASK(int) t = fm_source_task(s);
    FM_TASK(int) a = fm_start(gets(t, &order)), b = fm_start(gets(t, &order));
    pthread_create(&thread, NULL, sets, fm_source_retain(s));
    OK(await fm_join(a) == 42 && await fm_join(b) == 42 && order == 2);
    pthread_join(thread, NULL);
    OK(!fm_source_set(s, 1) && !fm_source_cancel(s));
    fm_source_release(s);
    OK(await fm_join(t) == 42);

    s = fm_source_new(int); /* the first awaiter runs inside the setter */
    t = fm_source_task(s);
    a = fm_start(gets(t, &order));
    OK(fm_source_set(s, 1) && order == 3);
    fm_release(a);
    fm_release(t);
    fm_source_release(s);

    s = fm_source_new_queued(int);
    t = fm_source_task(s);
    a = fm_start(gets(t, &order));
    OK(fm_source_set(s, 1) && order == 3);
    OK(await fm_join(a) == 1 && order == 4);
    fm_release(t);
    fm_source_release(s);

    s = fm_source_new(int);
    t = fm_source_task(s);
    fm_source_release(s);
    fm_fault *f = await fm_attempt(&n, fm_join(t));
    OK(fm_fault_code(f) == ECANCELED && n == 5);
    OK(!strcmp(fm_fault_message(f), "source dropped"));
    return 0;
}

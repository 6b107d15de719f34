// Tasks stored, passed, returned and nested in tasks give their results.
// id: T01
#include <fermata.h>
#include <stdio.h>

typedef FM_TASK(int) int_task;

static async int val(int v) { await fm_yield(); return v; }
static int_task identity(int_task t) { return t; }
static async int_task
started(int v)
{
    int_task t = fm_start(val(v));
    await fm_yield();
    return t;
}
struct holder { int_task t; int_task (*get)(int_task); };

async int
main(void)
{
    int_task t = fm_start(val(5));
    struct holder h = {fm_start(val(6)), identity};
    printf("%d\n", await fm_get(t));
    printf("%d %d\n", await fm_get(h.t), await fm_get(h.get(h.t)));
    printf("%d\n", await fm_join(await started(7)));
    FM_TASK(int_task) tt = fm_start(started(8));
    int_task inner = await fm_join(tt);
    printf("%d\n", await fm_join(inner));
    printf("%d\n", await fm_join(fm_start(val(await fm_join(fm_start(val(9)))))));
    fm_release(t);
    fm_release(h.t);
    return 0;
}

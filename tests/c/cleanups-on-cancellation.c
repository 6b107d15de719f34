// A cancelled task's cleanups run once, inner first, and may await.
#include <errno.h>
#include <fermata.h>
#include <stdio.h>

static void
end(int *p)
{
    printf(" %d", *p);
}
static async void
end_later(int *p)
{
    printf(" (%d", *p);
    await fm_yield();
    await fm_yield();
    printf(" %d)", *p);
}

static async int
sleeps(FM_SOURCE(int) s)
{
    __attribute__((cleanup(end))) int a = 1;
    __attribute__((cleanup(end_later))) int b = 2;
    FM_TASK(int) FM_AUTO t = fm_source_task(s);
    {
        __attribute__((cleanup(end))) int c = 3;
        return await fm_get(t) + a + b + c;
    }
}
static async int
outer(FM_SOURCE(int) s)
{
    __attribute__((cleanup(end_later))) int a = 7;
    return await sleeps(s) + a;
}

async int
main(void)
{
    FM_SOURCE(int) s = fm_source_new(int);
    FM_TASK(int) t = fm_start(outer(s));
    FM_TASK(int) u = fm_start(outer(s));
    int v = 0;
    fm_cancel(t);
    printf("asked");
    fm_fault *f = await fm_attempt(&v, fm_join(t));
    printf(" %d\n", fm_fault_code(f) == ECANCELED);
    fm_source_set(s, 100);
    printf(" = %d\n", await fm_join(u));
    fm_source_release(s);
    return 0;
}

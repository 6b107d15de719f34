#!/bin/sh
# A task that is woken after its executor was freed is reported; many
# executors may come and go.
cat >x.c <<'END'
#include <fermata.h>
#include <stdlib.h>
static fm_job *posted;
static void post(void *arg, fm_job *job) { (void)arg; posted = job; }
static const fm_executor_vtable table = {.post = post};
static async int waits(FM_TASK(int) t) { return await fm_get(t); }
int main(void)
{
    for (int i = 0; i < 10000; i++) {
        fm_executor *e = fm_executor_new(&table, NULL);
        if (!e)
            return 9;
        fm_executor_free(e);
    }
    fm_executor *ex = fm_executor_new(&table, NULL);
    FM_SOURCE(int) s = fm_source_new(int);
    FM_TASK(int) t = fm_start_on(ex, waits(fm_source_task(s)));
    fm_job_run(posted);
    fm_executor_free(ex);
    fm_source_set(s, 1);
    fm_release(t);
    return 0;
}
END
$CC -O1 x.c -o x || exit 1
timeout 5 ./x 2>err
[ $? = 134 ] && grep -q 'executor is freed' err || { cat err; exit 1; }

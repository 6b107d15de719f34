// fm_anywhere lets an await go on where the completion happens.
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>

static fm_executor *other, *home;

static async int
sets(FM_SOURCE(int) s)
{
    await fm_sleep(FM_MS(1));
    fm_source_set(s, 4);
    return 0;
}
static async int
gets(FM_TASK(int) t, bool anywhere)
{
    int n = anywhere ? await fm_anywhere(fm_get(t)) : await fm_get(t);
    OK(fm_executor_self() == (anywhere ? other : home));
    return n;
}
async int
main(void)
{
    OK(other = fm_loop_new());
    home = fm_executor_self();
    for (int i = 0; i < 20; i++) {
        FM_SOURCE(int) s = fm_source_new(int);
        FM_TASK(int) t = fm_source_task(s);
        FM_TASK(int) a = fm_start(gets(t, i % 2));
        FM_TASK(int) b = fm_start_on(other, sets(s));
        OK(await fm_join(a) == 4);
        OK(fm_executor_self() == home);
        await fm_join(b);
        fm_release(t);
        fm_source_release(s);
    }
    fm_executor_free(other);
    return 0;
}

// A call that is started on an executor begins there, though what it is
// started under is cancelled already: also on the pool from one of its threads.
// smoke
// threads
#include "ok.h"
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>

static _Atomic int begun;

static async int
begins(void)
{
    begun++;
    await fm_yield();
    return 1;
}
static async void
starts(fm_executor *from, fm_executor *on, bool fired)
{
    await fm_switch(from);
    fm_cancel_source *s = fm_cancel_source_new();
    FM_DEFER fm_cancel_source_release(s);
    fm_fault *f;

    OK(s);
    for (int i = 0; i < 20; i++) {
        FM_TASK(int) t;
        {
            fm_with_token(fm_cancel_source_token(s));
            if (fired)
                fm_cancel_source_fire(s);
            t = fm_start_on(on, begins());
        }
        f = await fm_attempt(NULL, fm_join(t));
        OK(fired ? f && fm_fault_code(f) == ECANCELED : !f);
        OK(begun == 1);
        begun = 0;
    }
}
async int
main(void)
{
    fm_executor *home = fm_executor_self(), *pool = fm_pool();

    for (int i = 0; i < 8; i++)
        await starts(i & 1 ? home : pool, i & 2 ? home : pool, i & 4);
    return 0;
}

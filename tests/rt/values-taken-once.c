// fm_self, names, completed tasks, values and references keep their books.
#include "ok.h"
#include <fermata.h>

static async int
answers(bool later, fm_task **self)
{
    if (later)
        await fm_yield();
    *self = fm_self();
    return 42;
}
async int
main(void)
{
    fm_task *self;
    int out = 0;
    FM_VALUE(int) v = fm_value(answers(false, &self));
    OK(await fm_take(&v) == 42);
    fm_fault *f = await fm_attempt(&out, fm_take(&v));
    OK(f && fm_fault_code(f) == EINVAL && out == 0);
    v = fm_value(answers(true, &self));
    FM_TASK(int) t = fm_value_task(&v);
    OK(await fm_get(t) == 42 && self == fm_task_of(t));
    FM_TASK(int) u = fm_retain(t);
    fm_release(t);
    OK(await fm_join(u) == 42);
    FM_TASK(int) c = fm_completed(int, 3), d = fm_completed(int, 3);
    OK(fm_task_of(c) == fm_task_of(d)); /* small values are shared */
    OK(await fm_join(c) == 3 && await fm_join(d) == 3);
    c = fm_completed(int, 123456);
    OK(await fm_join(c) == 123456);
    FM_TASK(void) e = fm_completed_void();
    await fm_join(e);
    struct big { long a[5]; } big = {{1, 2, 3, 4, 5}};
    FM_TASK(struct big) g = fm_completed(struct big, big);
    OK((await fm_join(g)).a[4] == 5);
    t = fm_begin(&out, answers(false, &self));
    OK(!t && out == 42);
    out = 0;
    t = fm_begin(&out, answers(true, &self));
    OK(t && out == 0 && await fm_join(t) == 42);
    FM_AUTO FM_TASK(int) a = fm_start(answers(true, &self));
    OK(await fm_get(a) == 42 && fm_status(a) == FM_DONE);
    return 0;
}

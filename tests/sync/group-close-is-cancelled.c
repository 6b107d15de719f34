// A cancelled close cancels the group's tasks, waits for their end and raises
// the cancellation; also if all of them have ended, with or without a fault.
// smoke
#include <errno.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <stdio.h>

static async void
waits(const char *name)
{
    FM_DEFER printf("%s ended\n", name);
    await fm_sleep(FM_S(1000));
}
static async void
ends(int code)
{
    if (code)
        fm_throw(code, "of a task");
}
enum how { RUNNING, ENDED, FAULTED, EMPTY, LEFT };
static async void
closes(enum how how, bool before)
{
    if (before)
        fm_abi_cancel(fm_self());
    FM_GROUP(g);
    if (how == RUNNING)
        fm_group_start(&g, waits("task"));
    else if (how != EMPTY)
        fm_group_start(&g, ends(how == FAULTED ? EIO : 0));
    if (how == LEFT)
        return;
    await fm_group_close(&g);
}
async int
main(void)
{
    fm_fault *f;

    for (int how = RUNNING; how <= LEFT; how++)
        for (int before = how == RUNNING ? 0 : 1; before < 2; before++) {
            FM_TASK(void) t = fm_start(closes((enum how)how, before));
            fm_cancel(t);
            fm_try {
                await fm_join(t);
                printf("%d: closed\n", how);
            } fm_catch (f) {
                fm_fault *cause = fm_fault_cause(f);
                printf("%d: %s, cause %d\n", how,
                       fm_fault_code(f) == ECANCELED ? "cancelled" : "?",
                       cause ? fm_fault_code(cause) : 0);
            }
        }
    return 0;
}

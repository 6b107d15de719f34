// A fault that somebody retained keeps its trace and causes while it goes on.
#include "ok.h"
#include <fermata.h>

static fm_fault *kept;
static size_t kept_frames;

__attribute__((noinline)) static async int
fails(void)
{
    await fm_yield();
    fm_throw(5, "first");
}
static async void
undo(int *p)
{
    (void)p;
    await fm_yield();
    fm_throw(6, "second");
}
__attribute__((noinline)) static async int
keeps(void)
{
    fm_fault *f;
    fm_try {
        await fails();
    } fm_catch (f) {
        kept = fm_fault_retain(f);
        kept_frames = fm_fault_trace(f, NULL, 0);
        fm_rethrow(f);
    }
    return 0;
}
__attribute__((noinline)) static async int
passes(void)
{
    return await keeps() + 1;
}
__attribute__((noinline)) static async int
cleans(void)
{
    __attribute__((cleanup(undo))) int scope = 1;
    return await passes() + scope;
}
async int
main(void)
{
    int n = 0;
    fm_fault *f = await fm_attempt(&n, cleans());
    OK(f && fm_fault_code(f) == 5 && !strcmp(fm_fault_message(f), "first"));
    OK(fm_fault_cause(f) && fm_fault_code(fm_fault_cause(f)) == 6);
    OK(f != kept && !fm_fault_cause(kept));
    OK(fm_fault_trace(kept, NULL, 0) == kept_frames);
    OK(fm_fault_trace(f, NULL, 0) > kept_frames);
    fm_fault_release(kept);

    /* joined twice, the faults of tasks do not grow either */
    FM_TASK(int) t[2] = {fm_start(cleans()), fm_start(fails())};
    for (int i = 0; i < 3; i++) {
        f = NULL;
        fm_try {
            await fm_all(t, 2);
        } fm_catch (f) {
            fm_fault *c = fm_fault_cause(f);
            OK(fm_fault_code(f) == 5 && fm_fault_code(c) == 6);
            c = fm_fault_cause(c);
            OK(c && fm_fault_code(c) == 5 && !fm_fault_cause(c));
        }
        OK(f);
    }
    fm_fault_release(kept);
    fm_release(t[0]);
    fm_release(t[1]);
    return 0;
}

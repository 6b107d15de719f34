// A caught fault lives until its function ends; a retained one longer.
#include <fermata.h>
#include <stdio.h>

static int wait;
static async int fail(int code)
{
    if (wait) await fm_yield();
    fm_throw(code, "fault %d", code);
}
static async fm_fault *keep(void)
{
    fm_fault *f, *g;
    fm_try { await fail(1); } fm_catch (f) { }
    fm_try { await fail(2); } fm_catch (g) { await fm_yield(); }
    printf("%s, %s\n", fm_fault_message(f), fm_fault_message(g));
    return fm_fault_retain(g);
}
static async void again(void)
{
    fm_fault *f;
    fm_try { await fail(3); } fm_catch (f) { fm_rethrow(f); }
}
async int main(void)
{
    fm_fault *f, *kept;
    for (wait = 0; wait < 2; wait++) {
        kept = await keep();
        printf("%s\n", fm_fault_message(kept));
        fm_fault_release(kept);
        fm_try { await again(); } fm_catch (f) { }
        printf("%s %d\n", fm_fault_message(f), fm_fault_code(f));
    }
    return 0;
}

// Nested handlers that await run in the order of the source.
// id: F09
#include <fermata.h>
#include <stdio.h>

static async void
say(const char *what, int n)
{
    await fm_yield();
    printf("%s %d\n", what, n);
}

static async void
fails(int n)
{
    await say("fails", n);
    fm_throw(FM_CODE_USER + n, "%d", n);
}

static async void
run(void)
{
    fm_fault *f, *g;
    fm_try {
        fm_try {
            await fails(1);
        } fm_catch (f) {
            await say("inner", fm_fault_code(f) - FM_CODE_USER);
            fm_try {
                await fails(2);
            } fm_catch (g) {
                await say("in handler", fm_fault_code(g) - FM_CODE_USER);
            }
            await say("still", fm_fault_code(f) - FM_CODE_USER);
            await fails(3);
            await say("not reached", 0);
        }
    } fm_catch (f) {
        await say("outer", fm_fault_code(f) - FM_CODE_USER);
        fm_rethrow(f);
    }
}

async int
main(void)
{
    fm_fault *f;
    fm_try {
        await run();
    } fm_catch (f) {
        await say("main", fm_fault_code(f) - FM_CODE_USER);
    }
    return 0;
}

// Tokens, deadlines and shields hold to the end of their block.
// not: alloc
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>

static async int
code_of(int64_t ns)
{
    fm_fault *f;
    fm_try {
        await fm_sleep(ns);
    } fm_catch (f) {
        return fm_fault_code(f);
    }
    return 0;
}
static async void
fires(fm_cancel_source *s, int64_t ns)
{
    await fm_sleep(ns);
    fm_cancel_source_fire(s);
}
async int
main(void)
{
    fm_cancel_source *s = fm_cancel_source_new();
    fm_cancel_source *child = fm_cancel_source_link(fm_cancel_source_token(s));
    fm_token *tok = fm_cancel_source_token(child);
    fm_fault *f = NULL;
    int64_t start = fm_now();
    {
        fm_with_timeout(FM_MS(20));
        OK(await code_of(FM_S(50)) == ETIMEDOUT);
        OK(await code_of(0) == ETIMEDOUT);
        {
            fm_with_shield();
            OK(await code_of(FM_MS(5)) == 0);
        }
        OK(fm_cancel_pending());
    }
    OK(!fm_cancel_pending() && fm_now() - start >= FM_MS(25));
    fm_detach(fires(s, FM_MS(10)));
    {
        fm_with_token(tok);
        fm_try {
            fm_with_timeout(FM_S(50));
            await fm_sleep(FM_S(100));
        } fm_catch (f) {
            OK(fm_fault_code(f) == ECANCELED && fm_fault_token(f) == tok);
        }
        OK(f);
    }
    OK(fm_token_fired(tok));
    OK(await fm_within(FM_S(5), code_of(FM_MS(1))) == 0);
    OK(await fm_within(FM_MS(1), code_of(FM_S(5))) == ETIMEDOUT);
    fm_cancel_source *late = fm_cancel_source_link(tok);
    OK(fm_token_fired(fm_cancel_source_token(late)));
    fm_cancel_source_release(late);
    fm_cancel_source_release(child);
    fm_cancel_source_release(s);
    s = fm_cancel_source_new();
    fm_cancel_source_fire_after(s, FM_MS(5));
    {
        fm_with_token(fm_cancel_source_token(s));
        OK(await code_of(FM_S(50)) == ECANCELED);
    }
    fm_cancel_source_release(s);
    s = fm_cancel_source_new();
    fm_cancel_source_fire_after(s, FM_S(500)); /* leaves nothing behind */
    fm_cancel_source_release(s);
    return 0;
}

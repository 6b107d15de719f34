// A token's callbacks run once, queued, unless they were taken off.
// not: alloc
#include "ok.h"
#include <fermata.h>

static int a, b;
static void
count(void *arg)
{
    ++*(int *)arg;
}
async int
main(void)
{
    fm_cancel_source *s = fm_cancel_source_new();
    fm_token *tok = fm_cancel_source_token(s);
    fm_token_reg *ra = fm_token_on(tok, count, &a);
    fm_token_reg *rb = fm_token_on(tok, count, &b);
    OK(fm_token_off(rb));
    fm_cancel_source_fire(s);
    fm_cancel_source_fire(s);
    OK(a == 0); /* never inside fire */
    rb = fm_token_on(tok, count, &b); /* fired already: queued at once */
    OK(b == 0);
    await fm_yield();
    OK(a == 1 && b == 1);
    OK(!fm_token_off(ra) && !fm_token_off(rb));
    ra = fm_token_on(tok, count, &a);
    OK(fm_token_off(ra)); /* queued, but will never run */
    await fm_yield();
    OK(a == 1);
    fm_cancel_source_release(s);
    return 0;
}

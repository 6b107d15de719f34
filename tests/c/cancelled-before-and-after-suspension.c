// A cancelled task is cancelled, not faulted, however far it came.
// not: alloc
// id: F06, F07
#include <errno.h>
#include <fermata.h>
#include <stdio.h>

static async int
checks(fm_token *tok)
{
    await fm_token_check(tok);
    return 1;
}
static async int
above(fm_token *tok)
{
    return await checks(tok) + 1;
}
static async int
waits(fm_token *tok)
{
    fm_with_token(tok);
    FM_SOURCE(int) s = fm_source_new(int);
    FM_TASK(int) FM_AUTO t = fm_source_task(s);
    int r = await fm_get(t);
    fm_source_release(s);
    return r;
}

async int
main(void)
{
    fm_cancel_source *src = fm_cancel_source_new();
    fm_token *tok = fm_cancel_source_token(src);
    FM_TASK(int) c = fm_start(waits(tok));
    printf("%d\n", fm_status(c) == FM_RUNNING);
    fm_cancel_source_fire(src);
    FM_TASK(int) a = fm_start(checks(tok));
    FM_TASK(int) b = fm_start(above(tok));
    FM_TASK(int) d = fm_start(waits(tok));
    printf("%d %d\n", fm_status(a) == FM_CANCELLED,
           fm_status(b) == FM_CANCELLED);
    int x = 5;
    fm_fault *f = await fm_attempt(&x, fm_join(a));
    printf("%d %d %d\n", fm_fault_code(f) == ECANCELED,
           fm_fault_token(f) == tok, x);
    f = await fm_attempt(&x, fm_get(c));
    printf("%d %d %d\n", fm_fault_code(f) == ECANCELED,
           fm_fault_token(f) == tok, fm_status(c) == FM_CANCELLED);
    f = await fm_attempt(&x, fm_get(d));
    printf("%d %d\n", fm_fault_token(f) == tok, fm_status(d) == FM_CANCELLED);
    f = await fm_attempt(&x, fm_join(b));
    fm_release(c);
    fm_release(d);
    fm_cancel_source_release(src);
    return 0;
}

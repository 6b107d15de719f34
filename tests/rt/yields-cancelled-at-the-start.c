// A first yield in a call that was cancelled before it is a fault there.
// threads
#include "ok.h"
#include <fermata.h>

static int undone;

static async int
cancels_and_yields(int v)
{
    FM_DEFER {
        undone += v;
    }
    fm_cancel((FM_TASK(int))fm_self());
    await fm_yield();
    return -1;
}

static async int
only_yields(int v)
{
    await fm_yield();
    return v;
}

static async int
yields_under(int v)
{
    return await only_yields(v) + 1;
}

static async int
catches(int v)
{
    int r = 0;
    fm_fault *f = await fm_attempt(&r, yields_under(v));

    return f ? -fm_fault_code(f) : r;
}

/* What is started under a token that has fired: its first yield tells. */
static async void
under_a_token(void)
{
    fm_cancel_source *s = fm_cancel_source_new();
    FM_TASK(int) t[3];
    fm_fault *f;

    fm_cancel_source_fire(s);
    {
        fm_with_token(fm_cancel_source_token(s));
        t[0] = fm_start(only_yields(3));
        t[1] = fm_start(catches(4));
        {
            fm_with_shield();
            t[2] = fm_start(catches(5));
        }
    }
    fm_cancel_source_release(s);
    OK(fm_status(t[0]) == FM_CANCELLED);
    OK(fm_status(t[1]) == FM_DONE);
    OK(fm_status(t[2]) == FM_RUNNING);
    f = await fm_attempt(NULL, fm_join(t[0]));
    OK(f && fm_fault_code(f) == ECANCELED);
    OK(await fm_join(t[1]) == -ECANCELED);
    OK(await fm_join(t[2]) == 6);
}

static async void
by_itself(void)
{
    FM_TASK(int) t[2];
    fm_fault *f;

    t[0] = fm_start(cancels_and_yields(7));
    OK(fm_status(t[0]) == FM_CANCELLED);
    OK(undone == 7);
    f = await fm_attempt(NULL, fm_join(t[0]));
    OK(f && fm_fault_code(f) == ECANCELED);
    t[1] = fm_start(only_yields(3));
    OK(fm_status(t[1]) == FM_RUNNING);
    OK(await fm_join(t[1]) == 3);
}

/* In ordinary C the call has no task before it suspends. */
static void
in_ordinary_c(void)
{
    fm_cancel_source *s = fm_cancel_source_new();
    fm_fault *f;
    int r = 0;

    fm_cancel_source_fire(s);
    {
        fm_with_token(fm_cancel_source_token(s));
        f = fm_attempt_wait(&r, yields_under(1));
        OK(f && fm_fault_code(f) == ECANCELED);
        OK(fm_wait(catches(1)) == -ECANCELED);
    }
    fm_cancel_source_release(s);
    OK(fm_wait(catches(1)) == 2);
}

int
main(void)
{
    in_ordinary_c();
    fm_wait(by_itself());
    fm_wait(under_a_token());
    return 0;
}

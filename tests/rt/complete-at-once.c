// A task that is complete when it is started is a task like any other.
// threads
#include <errno.h>
#include <fermata.h>
#include <string.h>

#include "ok.h"

static FM_TASK(int) kept;
static int others;

static async int
plain(int v)
{
    return v + 1;
}

static async int
keeps(int v)
{
    kept = fm_retain((FM_TASK(int))fm_self());
    return v + 2;
}

static async int
named(int v)
{
    fm_task_name((FM_TASK(int))fm_self(), "complete");
    return v + 3;
}

static async int
cancels_itself(int v)
{
    fm_cancel((FM_TASK(int))fm_self());
    return v + 4;
}

static async void
awaits(FM_TASK(int) *of)
{
    fm_fault *f;

    await fm_yield();
    f = await fm_attempt(NULL, fm_get(*of));
    OK(!f);
    others++;
}

/* Somebody waits for it before it is complete. */
static async int
is_waited_for(FM_TASK(int) *of)
{
    *of = fm_retain((FM_TASK(int))fm_self());
    return 5;
}

static async int
faults(int code)
{
    if (code)
        fm_throw(code, "at once");
    return 0;
}

static async void
each_kind(void)
{
    FM_TASK(int) t[7];
    FM_TASK(int) of = NULL;
    FM_TASK(void) other = fm_start(awaits(&of));
    fm_fault *f;

    t[0] = fm_start(plain(0));
    t[1] = fm_start(keeps(0));
    t[2] = fm_start(named(0));
    t[3] = fm_start(cancels_itself(0));
    t[4] = fm_start(is_waited_for(&of));
    t[5] = fm_start(faults(EIO));
    t[6] = fm_retain(fm_start(plain(6)));
    OK(fm_status(t[0]) == FM_DONE);
    OK(fm_status(t[5]) == FM_FAULTED);
    for (int i = 0; i < 5; i++)
        OK(await fm_join(t[i]) == i + 1);
    f = await fm_attempt(NULL, fm_join(t[5]));
    OK(f && fm_fault_code(f) == EIO);
    OK(await fm_join(t[6]) == 7);
    OK(await fm_join(t[6]) == 7);
    OK(fm_status(kept) == FM_DONE);
    fm_release(kept);
    await fm_join(other);
    fm_release(of);
    OK(others == 1);
}

/* A join of what is complete is given up, as all awaits are. */
static async int
joins_though_cancelled(void)
{
    FM_TASK(int) t = fm_start(plain(1));
    fm_fault *f;

    OK(fm_status(t) == FM_DONE);
    fm_cancel((FM_TASK(int))fm_self());
    f = await fm_attempt(NULL, fm_join(t));
    OK(f && fm_fault_code(f) == ECANCELED);
    return 1;
}

static int turns;
static bool over;

static async void
counts_turns(void)
{
    while (!over) {
        turns++;
        await fm_yield();
    }
}

/* Who only starts and joins what is complete leaves the others their turn. */
static async void
many(void)
{
    FM_TASK(void) other = fm_start(counts_turns());
    long sum = 0;

    for (int i = 0; i < 10000; i++) {
        FM_TASK(int) t = fm_start(plain(i));
        OK(fm_status(t) == FM_DONE);
        sum += await fm_join(t);
    }
    OK(sum == 10000L * 10001 / 2);
    OK(turns > 20);
    over = true;
    await fm_join(other);
}

static async void
all_of_it(void)
{
    FM_TASK(int) t;

    await each_kind();
    t = fm_start(joins_though_cancelled());
    OK(fm_status(t) == FM_DONE); /* so it is no await in disguise */
    OK(await fm_join(t) == 1);
    await many();
}

static int
elsewhere(void)
{
    return 2;
}

async int
main(void)
{
    await all_of_it();
    OK(await fm_blocking(elsewhere()) == 2); /* from here on there are more threads */
    turns = others = 0;
    over = false;
    await all_of_it();
    return 0;
}

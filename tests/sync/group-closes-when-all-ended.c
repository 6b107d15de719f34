// A group's close waits for all; the first fault cancels the rest, at once.
// smoke
// threads
#include <errno.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <stdio.h>

static int running, cleaned;

static void left(int *who)
{
    (void)who;
    running--;
    cleaned++;
}

async int work(int ms)
{
    __attribute__((cleanup(left))) int me = ++running;
    if (ms)
        await fm_sleep(FM_MS(ms));
    return me;
}

async void fails(int ms, int code)
{
    await fm_sleep(FM_MS(ms));
    fm_throw(code, "code %d", code);
}

async void stubborn(int code)
{
    fm_fault *f;
    fm_try {
        await fm_sleep(FM_S(100));
    } fm_catch (f) {
        fm_throw(code, "instead of %d", fm_fault_code(f));
    }
}

async void three(void)
{
    FM_GROUP(g);
    fm_group_start(&g, work(0));
    fm_group_start(&g, work(3));
    fm_group_start(&g, work(1));
    await fm_group_close(&g);
    printf("all: %d running, %d cleaned\n", running, cleaned);
    fm_group_start(&g, work(1)); /* it may be used again */
    await fm_group_close(&g);
    await fm_group_close(&g);
    printf("again: %d cleaned\n", cleaned);
}

async void one_fails(void)
{
    FM_GROUP(g);
    fm_group_start(&g, work(100000));
    fm_group_start(&g, fails(2, 77));
    fm_group_start(&g, stubborn(78));
    fm_group_start(&g, work(100000));
    await fm_group_close(&g);
}

async void in_the_block(void)
{
    FM_GROUP(g);
    fm_group_start(&g, fails(1, 79));
    fm_group_start(&g, work(100000));
    int64_t since = fm_now();
    while (running && fm_now() - since < FM_S(5))
        await fm_sleep(FM_MS(1)); /* not in close yet */
    printf("before close: %d running\n", running);
    fm_group_start(&g, work(100000)); /* too late: cancelled */
    await fm_group_close(&g);
}

async void early_return(int how)
{
    FM_GROUP(g);
    fm_group_start(&g, work(100000));
    if (how == 1)
        fm_throw(80, "the block faults");
    if (how == 2)
        fm_group_start(&g, stubborn(81));
    return;
}

async void is_cancelled(void)
{
    FM_GROUP(g);
    fm_group_start(&g, work(100000));
    fm_group_start(&g, stubborn(82));
    await fm_group_close(&g);
}

static void say(const char *who, fm_fault *f)
{
    printf("%s:", who);
    for (; f; f = fm_fault_cause(f))
        printf(" %d", fm_fault_code(f) == ECANCELED   ? -1
                      : fm_fault_code(f) == ETIMEDOUT ? -2
                                                      : fm_fault_code(f));
    printf(", %d running\n", running);
}

async int main(void)
{
    await three();
    say("one fails", await fm_attempt(NULL, one_fails()));
    say("in the block", await fm_attempt(NULL, in_the_block()));
    say("return", await fm_attempt(NULL, early_return(0)));
    say("fault", await fm_attempt(NULL, early_return(1)));
    say("return over a fault", await fm_attempt(NULL, early_return(2)));
    fm_with_timeout(FM_MS(5));
    say("time is over", await fm_attempt(NULL, is_cancelled()));
    return 0;
}

// Ten thousand times a timeout of a millisecond around a long sleep: each
// ends with ETIMEDOUT, none sleeps on, and no timer is left behind.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
// threads

enum { TASKS = 10000 };
static int timed_out, slept;

async void try_to_sleep(void)
{
    fm_fault *f;
    fm_try {
        await fm_within(FM_MS(1), fm_sleep(FM_S(60)));
        slept++;
    }
    fm_catch (f) {
        timed_out += fm_fault_code(f) == ETIMEDOUT;
    }
}

static int
run(void)
{
    for (int i = 0; i < TASKS; i++)
        fm_detach(try_to_sleep());
    int64_t start = fm_now();
    fm_run_until_idle();
    return fm_now() - start < FM_S(20);
}

int
main(void)
{
    int soon = run();
    printf("%d timed out, %d slept, %s\n", timed_out, slept,
           soon ? "then nothing was left" : "a timer was left");
    return 0;
}

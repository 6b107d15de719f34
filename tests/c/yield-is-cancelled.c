// A task that yields in a loop ends where it yields once it is cancelled.
// threads
#include "../rt/ok.h"

#include <fermata.h>

static int deferred;

static async int
loops(int *rounds)
{
    FM_DEFER { deferred++; };
    for (;;) {
        await fm_yield();
        ++*rounds;
    }
}

static async int
catches(int *rounds)
{
    fm_fault *f;
    int code = 0;
    await fm_yield();
    fm_try {
        for (;;) {
            await fm_yield();
            ++*rounds;
        }
    } fm_catch (f) {
        code = fm_fault_code(f);
    }
    return code;
}

static async int
shielded(int *rounds)
{
    await fm_yield();
    fm_with_shield();
    for (int i = 0; i < 50; i++) {
        await fm_yield();
        ++*rounds;
    }
    return *rounds;
}

static async int
timed(int *rounds)
{
    await fm_yield();
    return await fm_within(FM_MS(2), loops(rounds));
}

static async int
run(void)
{
    int n[4] = {0}, r = 0;
    FM_TASK(int) a = fm_start(loops(&n[0]));
    FM_TASK(int) b = fm_start(catches(&n[1]));
    FM_TASK(int) c = fm_start(shielded(&n[2]));
    for (int i = 0; i < 10; i++)
        await fm_yield();
    OK(n[0] > 3 && n[1] > 3);
    fm_cancel(a);
    fm_cancel(b);
    fm_cancel(c);
    int at = n[0];
    fm_fault *f = await fm_attempt(&r, fm_join(a));
    OK(f && fm_fault_code(f) == ECANCELED);
    OK(n[0] <= at + 1);
    OK(deferred == 1);
    OK(await fm_join(b) == ECANCELED);
    OK(await fm_join(c) == 50);
    f = await fm_attempt(&r, timed(&n[3]));
    OK(f && fm_fault_code(f) == ETIMEDOUT);
    OK(deferred == 2);
    return 0;
}

async int
main(void)
{
    return await run();
}

// fm_all waits for all and joins their faults, not without end; fm_any tells
// the first.
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>

static async int
after(int64_t ns, int n)
{
    await fm_sleep(ns);
    if (n < 0)
        fm_throw(-n, "no %d", n);
    return n;
}
static async void
waits(FM_TASK(int) *t, size_t n)
{
    await fm_all(t, n);
}
static async size_t
looks(FM_TASK(int) *t, size_t n)
{
    return await fm_any(t, n);
}
/* Each is observed, but not all of them are kept as causes. */
static async void
many_faults(void)
{
    enum { MANY = 200 };
    FM_TASK(int) t[MANY];
    int causes = -1;
    for (int i = 0; i < MANY; i++)
        t[i] = fm_start(after(i % 2, -1 - i));
    fm_fault *f = await fm_attempt(NULL, fm_all(t, MANY));
    OK(fm_fault_code(f) == 1);
    for (; f; f = fm_fault_cause(f))
        OK(fm_fault_code(f) == 1 + ++causes);
    OK(causes == 64);
    for (int i = 0; i < MANY; i++)
        fm_release(t[i]);
}
async int
main(void)
{
    FM_TASK(int) t[3];
    fm_fault *f = NULL;
    size_t n = 9;
    for (int i = 0; i < 3; i++)
        t[i] = fm_start(after(FM_MS(40) * (3 - i), i + 1));
    OK(await fm_any(t, 3) == 2);
    OK(fm_status(t[2]) == FM_DONE && fm_status(t[0]) == FM_RUNNING);
    OK(await fm_any(t, 3) == 2);
    await fm_all(t, 3);
    for (int i = 0; i < 3; i++)
        OK(fm_status(t[i]) == FM_DONE && await fm_join(t[i]) == i + 1);
    for (int i = 0; i < 3; i++)
        t[i] = fm_start(after(FM_MS(i), i ? -i : 5));
    fm_try {
        await fm_all(t, 3);
    } fm_catch (f) {
        OK(fm_fault_code(f) == 1 && fm_fault_code(fm_fault_cause(f)) == 2);
    }
    OK(f);
    for (int i = 0; i < 3; i++)
        fm_release(t[i]);
    for (int i = 0; i < 3; i++)
        t[i] = fm_start(after(FM_S(50), 1));
    FM_TASK(void) all = fm_start(waits(t, 3));
    FM_TASK(size_t) any = fm_start(looks(t, 3));
    fm_cancel(all);
    fm_cancel(any);
    f = await fm_attempt(NULL, fm_join(all));
    OK(f && fm_fault_code(f) == ECANCELED);
    f = await fm_attempt(&n, fm_join(any));
    OK(f && fm_fault_code(f) == ECANCELED && n == 9);
    for (int i = 0; i < 3; i++) {
        fm_cancel(t[i]);
        fm_release(t[i]);
    }
    await many_faults();
    return 0;
}

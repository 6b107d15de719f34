// A deadline ends the waits under it on whatever executor they are.
// threads
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>

static fm_executor *other;

static async int
waits(int64_t ns)
{
    await fm_sleep(ns);
    return 1;
}
static async int
moves(int64_t ns)
{
    fm_with_timeout(ns); /* starts here, is left there */
    await fm_sleep(FM_US(10));
    await fm_switch(other);
    await fm_sleep(FM_US(10));
    return 2;
}
async int
main(void)
{
    OK(other = fm_loop_new());
    for (int r = 0; r < 100; r++) {
        FM_TASK(int) a, b, c;
        int n = 0;
        {
            fm_with_timeout(FM_MS(1));
            a = fm_start_on(other, waits(FM_S(50)));
            b = fm_start(waits(FM_S(50)));
            c = fm_start_on(other, waits(FM_US(10)));
        }
        fm_fault *f = await fm_attempt(&n, fm_join(a));
        OK(f && fm_fault_code(f) == ETIMEDOUT);
        f = await fm_attempt(&n, fm_join(b));
        OK(f && fm_fault_code(f) == ETIMEDOUT);
        f = await fm_attempt(&n, fm_join(c));
        OK(!f || fm_fault_code(f) == ETIMEDOUT);
        OK(await moves(FM_S(100)) == 2);
        f = await fm_attempt(&n, moves(FM_US(15)));
        OK(!f || fm_fault_code(f) == ETIMEDOUT);
    }
    fm_executor_free(other);
    return 0;
}

// A task's own flag lies below its own scopes and above the inherited ones.
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>

static async int
shielded_inside(void)
{
    fm_with_shield();
    await fm_sleep(FM_MS(5));
    await fm_yield();
    return 1;
}
static async int
unshielded(void)
{
    await fm_sleep(FM_S(50));
    return 1;
}
async int
main(void)
{
    int n = 0;
    fm_fault *f;
    FM_TASK(int) t = fm_start(shielded_inside());
    fm_cancel(t);
    OK(await fm_join(t) == 1);
    {
        fm_with_shield(); /* the child inherits it: it does not shield it */
        t = fm_start(unshielded());
        fm_cancel(t);
        f = await fm_attempt(&n, fm_join(t));
        OK(f && fm_fault_code(f) == ECANCELED);
    }
    {
        fm_with_timeout(FM_MS(10)); /* started tasks have it too */
        t = fm_start(unshielded());
    }
    f = await fm_attempt(&n, fm_join(t));
    OK(f && fm_fault_code(f) == ETIMEDOUT);
    return 0;
}

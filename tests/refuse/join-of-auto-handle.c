// fm_join of an FM_AUTO handle is an error: both would release it.
#include <fermata.h>
async int one(void);
async int joins(void)
{
    FM_AUTO FM_TASK(int) t = fm_start(one());
    return await fm_get(t) + await fm_join(t);
}

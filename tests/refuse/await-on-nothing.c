// An await before what is no async call is an error that says what to write.
// smoke
#include <fermata.h>
int plain(int x);
async int one(void);
async int calls(FM_TASK(int) task, int x)
{
    x += await plain(x);
    x += await x;
    x += await plain(await one());
    await fm_detach(one());
    FM_TASK(int) t = await fm_start(one());
    (void)await t;
    return x + __extension__ x + await fm_join(task);
}

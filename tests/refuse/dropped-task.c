// A started task whose handle is simply dropped draws a warning.
#include <fermata.h>
async int one(void);
async void drops(int n)
{
    fm_start(one());
    if (n)
        fm_start(one());
    (void)fm_start(one());
    fm_detach(one());
    FM_TASK(int) t = fm_start(one());
    fm_release(t);
    t = fm_start(one());
    fm_release(t);
    n++, t = fm_start(one());
    fm_release(t);
}

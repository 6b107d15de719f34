// A throw in an ordinary function and a join of FM_AUTO are refused.
#include <fermata.h>

async int step(int v);
int plain(int n)
{
    if (n)
        fm_throw(1, "no %d", n);
    return 1;
}
void again(fm_fault *f)
{
    fm_rethrow(f);
}
async int joined(int n)
{
    FM_AUTO FM_TASK(int) t = fm_start(step(n));
    return await fm_join(t);
}

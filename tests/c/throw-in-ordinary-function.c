// fm_throw and fm_rethrow in an ordinary function are refused.
#include <fermata.h>

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

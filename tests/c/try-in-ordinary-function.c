// fm_try in an ordinary function is warned of: it cannot catch anything.
#include <fermata.h>

int plain(int n)
{
    fm_fault *f;
    fm_try {
        n++;
    } fm_catch (f) {
        n = 0;
    }
    return n;
}

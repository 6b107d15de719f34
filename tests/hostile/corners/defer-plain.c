#include "corner.h"
static int x;
static int
plain(int n)
{
#ifndef FERMATA_PLAIN
    FM_DEFER
    x = x * 2 + n;
    for (int i = 0; i < n; i++) {
        FM_DEFER
        {
            if (i & 1)
                x++;
            else
                x += 3;
        }
        if (i == 2)
            continue;
        if (i == 4)
            return 7;
    }
#else
    int done = 0, r = 1;
    for (int i = 0; i < n; i++) {
        if (i == 4) {
            r = 7;
            done = 1;
        }
        if (i & 1)
            x++;
        else
            x += 3;
        if (done)
            break;
    }
    x = x * 2 + n;
    return r;
#endif
    return 1;
}
async int
main(void)
{
    int r = 0;
    for (int n = 0; n < 7; n++)
        r = r * 3 + plain(await val(n));
    printf("%d %d\n", r, x);
    return 0;
}

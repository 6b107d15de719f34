/* See corner.h. */
#include "corner.h"
static async int
f(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        FM_DEFER
        {
            s = s * 3 + await val(i);
            for (int k = 0; k < 3; k++) {
                FM_DEFER
                s += await val(k);
                if (k == 1)
                    continue;
                s += 1;
            }
        }
        if (i == 1)
            continue;
        FM_DEFER
        {
            switch (await val(i)) {
            case 0:
                s += 5;
                break;
            case 2: {
                goto in;
            in:
                s += 7;
            }
            default:
                s += 1;
            }
        }
        if (i == 3)
            break;
        FM_DEFER
        if (await val(i == 2))
            s += 100;
        else
            s += 200;
    }
    return s;
}
async int
main(void)
{
    for (int i = 0; i < 6; i++)
        printf("%d ", await f(i));
    puts("");
    return 0;
}

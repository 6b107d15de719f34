/* See corner.h. */
#include "corner.h"
static async int
f(int n)
{
    int s = 0;
    for (int i = 1; i < n; i++) {
        int v[i];
        memset(v, 0, sizeof v);
        FM_DEFER
        {
            int w[await val(i) + 1];
            w[i] = 3;
            s += w[i] + v[i - 1];
        }
        v[await val(i - 1)] = await val(i);
        fm_fault *e;
        fm_try
            {
                int u[i + 2];
                u[i + 1] = await val(2);
                if (i == 3)
                    fm_throw(9, "x");
                s += u[i + 1];
            }
            fm_catch(e)
            {
                int z[fm_fault_code(e)];
                z[8] = await val(1);
                s += 1000 * z[8];
            }
    }
    return s;
}
async int
main(void)
{
    printf("%d\n", await f(6));
    return 0;
}

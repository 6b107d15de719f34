/* See corner.h. */
#include "corner.h"
static async int
thr(int k)
{
    SUSPEND();
    if (k)
        fm_throw(k, "k%d", k);
    return 1;
}
static async int
f(int n)
{
    int s = 0;
    fm_fault *a, *b;
    for (int i = 0; i < 5; i++) {
        fm_try
            {
                FM_DEFER
                s = s * 2 + await val(1);
                fm_try
                    {
                        if (i == n)
                            continue;
                        s += await thr(i & 1);
                        if (i == 4)
                            break;
                    }
                    fm_catch(a)
                    {
                        s += 10 * fm_fault_code(a);
                        if (n == 3)
                            goto out;
                        await thr(n == 2 ? 7 : 0);
                    }
                    while (await val(i == 2)) {
                        fm_try
                            {
                                await thr(3);
                            }
                            fm_catch(b)
                            {
                                s += 50;
                                break;
                            }
                    }
            }
            fm_catch(b)
            {
                s += fm_fault_code(b) * 100;
                if (n == 2)
                    return s;
            }
    }
out:
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

#include "corner.h"
static async int
f(int x)
{
    SUSPEND();
    return x;
}
async int
main(void)
{
    int s = 0;
    for (FM_TASK(int) t = fm_start(f(await val(3))); s < await fm_get(t); s++)
        ;
    FM_TASK(int)
    a = await val(1) ? fm_start(f(1)) : fm_start(f(2)),
    b = ({
        FM_TASK(int) q = fm_start(f(5));
        q;
    });
    s = s * 10 + await fm_join(a) + await fm_join(b);
    int o = 0;
    while (await fm_attempt(&o, f(o + 1)) == NULL && o < 4)
        s += o;
    s += await fm_join(fm_start(f(await fm_join(fm_start(f(7))))));
    int r[3];
    for (int i = 0; i < 3; i++)
        (void)await fm_attempt(&r[await val(i)], f(i * 2));
    struct {
        int x;
        FM_TASK(int) t[2];
    } st = {await val(1), {fm_start(f(8)), fm_completed(int, 9)}};
    s += await fm_join(st.t[0]) + await fm_join(st.t[1]) + r[2];
    printf("%d %d\n", s,
           await fm_within(FM_S(1), f(await fm_within(FM_S(1), f(4)))));
    return 0;
}

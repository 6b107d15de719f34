/* See corner.h. */
#include "corner.h"
static async int
maybe(int i)
{
    if (i & 1)
        await fm_yield();
    return i;
}
async int
main(void)
{
    FM_VALUE(int) v[6];
    for (int i = 0; i < 6; i++)
        v[i] = fm_value(maybe(await val(i)));
    int s = 0;
    for (int i = 5; i >= 0; i--)
        s = s * 7 + await fm_take(&v[await val(i)]);
    fm_fault *e = await fm_attempt(&s, fm_take(&v[1]));
    printf("%d %d\n", s, e != NULL);
    FM_TASK(int) b;
    int o = -1;
    b = fm_begin(&o, maybe(4));
    printf("%d %d\n", b == NULL, o);
    b = fm_begin(&o, maybe(5));
    if (b)
        o = await fm_join(b);
    printf("%d\n", o);
    return 0;
}

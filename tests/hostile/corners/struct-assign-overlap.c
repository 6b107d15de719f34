#include "corner.h"
struct t {
    int a[6];
    char c;
};
static async struct t
mk(int x)
{
    struct t r = {{x, x + 1, x + 2, x + 3, x + 4, x + 5}, (char)x};
    SUSPEND();
    return r;
}
static async struct t
rot(struct t s)
{
    struct t r = s;
    for (int i = 0; i < 6; i++)
        r.a[i] = s.a[(i + await val(1)) % 6];
    return r;
}
async int
main(void)
{
    struct t s = await mk(1);
    s = await rot(s);
    s = await rot(await rot(s));
    struct t u[3];
    u[await val(1)] = await rot(s);
    u[0] = u[2] = u[1];
    u[2].a[await val(0)] = (await mk(9)).a[5];
    int q = (await rot(u[2])).a[5] + (await mk(3)).c;
    struct t *p = &u[1];
    *p = await rot(*p);
    *p = *(await val(1) ? p : u);
    for (int i = 0; i < 6; i++)
        printf("%d ", u[0].a[i] + u[1].a[i] * 10 + u[2].a[i] * 100);
    printf("%d\n", q);
    return 0;
}

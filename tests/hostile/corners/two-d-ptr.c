#include "corner.h"
static async void
fill(int rows, int (*m)[rows])
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++)
            m[i][j] = await val(i * j);
}
struct list {
    struct list *n;
    int v;
};
static async struct list *
rev(struct list *l)
{
    struct list *r = NULL;
    while (l) {
        struct list *n = l->n;
        l->n = r;
        r = l;
        await val(1);
        l = n;
    }
    return r;
}
async int
main(void)
{
    int m[4][4];
    await fill(4, m);
    struct list a[4];
    for (int i = 0; i < 4; i++)
        a[i] = (struct list){i ? &a[i - 1] : NULL, i};
    struct list *l = await rev(&a[3]);
    int s = 0;
    for (; l; l = l->n)
        s = s * 10 + l->v + await val(0);
    int *pp[2] = {m[1], m[2]};
    *pp[await val(1)]++ = await val(9);
    pp[0] += await val(2);
    printf("%d %d %d %d\n", m[3][3], s, m[2][0], *pp[0]);
    return 0;
}

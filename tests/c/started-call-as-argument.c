// Marks nest by their arguments: each start yields its own task.
#include <fermata.h>
#include <stdio.h>

static async int plus(int x, int wait)
{
    if (wait) await fm_yield();
    return x + 1;
}
static async int twice(FM_TASK(int) t)
{
    int x = await fm_get(t);

    return x + await fm_join(t);
}
struct table {
    async int (*serve)(int, int);
};

async int main(void)
{
    struct table tables[2] = {{plus}, {plus}}, *p = &tables[1];

    for (int w = 0; w < 2; w++) {
        FM_TASK(int) t = fm_start(twice(fm_start(plus(await plus(3, w), w))));
        FM_TASK(int) u = w ? fm_start(tables[0].serve(7, w))
                           : fm_start(p->serve(8, w));
        int x = await fm_join(t), y = await fm_join(u);

        fm_detach(p->serve(1, w));
        printf("%d %d %d\n", x, y, await fm_join(fm_start(fm_get(
                                       fm_start(plus(1, w))))));
    }
    return 0;
}

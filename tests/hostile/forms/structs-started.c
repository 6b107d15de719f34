/* See corner.h. */
#include "corner.h"
struct s {
    char c[40];
    int n;
};
struct h {
    FM_TASK(struct s) t;
    FM_TASK(void) (*get)(void);
};
static async struct s
work(struct s a, int k)
{
    a.n += await val(k);
    a.c[k] = 'z';
    return a;
}
static async void
nothing(void)
{
    SUSPEND();
}
static FM_TASK(void) mk(void)
{
    return fm_start(nothing());
}
async int
main(void)
{
    struct s x = {"hello", 1};
    struct h h[3];
    for (int i = 0; i < 3; i++) {
        x.n = i * 10;
        h[i] = (struct h){fm_start(work(x, i)), mk};
        x.c[0] = '!';
    }
    for (int i = 0; i < 3; i++) {
        struct s r = await fm_join(h[i].t);
        await fm_join(h[i].get());
        printf("%s %d ", r.c, r.n);
    }
    puts("");
    return 0;
}

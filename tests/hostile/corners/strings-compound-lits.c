#include "corner.h"
struct s {
    const char *n;
    int v[3];
    struct {
        int x, y;
    } in;
};
static async int
tot(const struct s *s)
{
    int t = s->v[0] + s->v[1] + s->v[2] + s->in.x + s->in.y;
    SUSPEND();
    return t + (int)strlen(s->n);
}
async int
main(void)
{
    int *p = (int[]){await val(1), await val(2), await val(3)};
    struct s *q = &(struct s){.n = "abc",
                              .v = {[2] = await val(5), [0] = await val(4)},
                              .in.y = await val(9)};
    int s = 0;
    for (int i = 0; i < 3; i++) {
        int *r = (int[2]){i, await val(i)};
        r[0] += await val(1);
        s += r[0] * r[1] + p[i] +
             await tot(&(struct s){"xy", {await val(i)}, {1, await val(2)}});
    }
    char msg[] = {'h', (char)await val('i'), 0};
    const char *z = await val(1) ? "yes" : "no";
    printf("%d %d %s %s %s\n", s, await tot(q), msg, z, &"hello"[await val(2)]);
    return 0;
}

// A struct passed to an async function is the callee's own.
// plain
// id: L03
#include <fermata.h>
#include <stdio.h>

struct s { int n; long pad[5]; };
struct small { int n; };

static async int
change(struct s s, struct small t, struct s *alias)
{
    s.n++, t.n++;
    await fm_yield();
    s.n++, t.n++, alias->n++;
    await fm_yield();
    return s.n * 100 + t.n;
}

static async int
twice(struct s s)
{
    struct small t = {7};
    int a = await change(s, t, &s);
    int b = await change(s, t, &s);
    return a * 10000 + b + s.n * 1000 + t.n;
}

async int
main(void)
{
    struct s s = {100, {0}};
    int r = await twice(s);
    printf("%d %d\n", r, s.n);
    FM_TASK(int) t = fm_start(twice(s));
    s.n = 5;
    printf("%d %d\n", await fm_join(t), s.n);
    return 0;
}

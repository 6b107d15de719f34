// A started call has its own copies of its arguments, structs included.
#include <fermata.h>
#include <stdio.h>

struct small { char c[5]; };
struct big { long a[9]; };

static async long sum(struct small s, struct big b, int n)
{
    await fm_yield();
    return s.c[0] + s.c[4] + b.a[0] + b.a[8] + n;
}
typedef async long summing(struct small, struct big, int);

static async int starts(summing *p, fm_executor *ex)
{
    FM_TASK(long) t[3];
    struct small s = {{1, 2, 3, 4, 5}};
    struct big b = {{100, 0, 0, 0, 0, 0, 0, 0, 200}};

    t[0] = fm_start(sum(s, b, 1));
    t[1] = fm_start(p(s, b, 2));
    t[2] = fm_start_on(ex, p(s, b, 3));
    s.c[0] = 50;
    b.a[8] = 0;
    for (int i = 0; i < 3; i++)
        printf("%ld\n", await fm_join(t[i]));
    return 0;
}

async int main(void)
{
    return await starts(sum, fm_executor_self());
}

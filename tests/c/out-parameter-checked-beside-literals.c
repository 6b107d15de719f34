// The checked out parameter of fm_attempt and fm_begin takes calls whose
// arguments are compound literals with awaits in them.
#include <fermata.h>
#include <stdio.h>

struct s {
    int a;
};
static async int add(const struct s *p, struct s q)
{
    await fm_yield();
    return p->a + q.a;
}

async int main(void)
{
    int a = 0, b = 0, x = 3;
    fm_fault *f = await fm_attempt(
        &a, add(&(struct s){await add(&(struct s){1}, (struct s){x})},
                (struct s){x}));
    FM_TASK(int) t = fm_begin(
        &b, add(&(struct s){x}, (struct s){await add(&(struct s){x},
                                                     (struct s){4})}));

    if (t)
        b = await fm_join(t);
    printf("%d %d %d\n", a, b, f != NULL);
    return 0;
}

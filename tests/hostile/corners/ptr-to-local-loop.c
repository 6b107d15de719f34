#include "corner.h"
static async void
put(int **slot, int *p)
{
    SUSPEND();
    *slot = p;
}
async int
main(void)
{
    int *prev = NULL, s = 0;
    int cells[5];
    for (int i = 0; i < 5; i++) {
        int *mine = &cells[i];
        *mine = i + (prev ? *prev : 0);
        int *got;
        await put(&got, mine);
        prev = got;
        s += *prev;
        struct {
            int *a, **b;
        } q = {&s, &prev};
        **q.b += await val(1);
        *q.a += await val(0);
    }
    char *names[3] = {"a", "b", "c"};
    char **w = names;
    while (w < names + await val(3))
        s += (*w++)[0];
    printf("%d %d\n", s, cells[4]);
    return 0;
}

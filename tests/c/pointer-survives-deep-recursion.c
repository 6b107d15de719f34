// A malloced object is reachable through every level of a recursion.
// not: alloc
// plain
// id: L06
#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>

static async int
sum(int *values, int n)
{
    int *own, below;
    if (n == 0)
        return 0;
    own = malloc(sizeof(*own));
    *own = values[n - 1];
    await fm_yield();
    below = await sum(values, n - 1);
    await fm_yield();
    below += *own;
    free(own);
    return below;
}

async int
main(void)
{
    int *values = malloc(20 * sizeof(int));
    for (int i = 0; i < 20; i++)
        values[i] = i;
    printf("%d\n", await sum(values, 20));
    free(values);
    return 0;
}

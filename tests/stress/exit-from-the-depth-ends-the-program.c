// exit() below suspended calls runs its handlers once, with the exit code.
// flags: -ffermata-stress=3,1 -w
#include <stdio.h>
#include <stdlib.h>

static int depth;
static int add(int a, int b) { return a + b; }
static void last(void) { printf("last %d\n", add(depth, 1)); }

static void first(void)
{
    int loop = 0;

    while (loop < 3)
        loop = add(loop, 1);
    printf("first %d\n", loop);
    atexit(last); /* registered while they run */
}

static int fall(int n)
{
    depth = add(depth, 1);
    if (n == 0)
        exit(add(20, 3));
    return fall(n - 1) + 1;
}

static int compare(const void *a, const void *b) { return fall(4); }

int main(void)
{
    int a[] = {2, 1};

    atexit(first);
    printf("falls\n");
    qsort(a, 2, sizeof *a, compare);
    printf("never\n");
    return 0;
}

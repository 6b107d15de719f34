// Constructors, resolvers and destructors run, and what they call.
// flags: -ffermata-stress=8,1 -w
#include <stdio.h>

static int made, order[8];

static int add(int a, int b) { return a + b; }
static void note(int n) { order[made] = n, made = add(made, 1); }

__attribute__((constructor(201))) static void early(void) { note(1); }
__attribute__((constructor(202))) static void later(void)
{
    for (int i = 2; i < 4; i++)
        note(i);
}
__attribute__((destructor)) static void gone(void)
{
    printf("gone %d\n", add(made, 1));
}

static int fast(int n) { return n * 2; }
static int (*resolve(void))(int) { return fast; }
int chosen(int n) __attribute__((ifunc("resolve")));

int main(void)
{
    for (int i = 0; i < made; i++)
        printf("%d ", order[i]);
    printf("%d\n", chosen(21));
    return 0;
}

// A function has one address, in tables, comparisons and calls alike.
// flags: -ffermata-stress=5,1 -w
#include <stdio.h>
#include <string.h>

typedef int op(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
int mul(int a, int b) { return a * b; }
extern int mul_again(int, int) __attribute__((alias("mul")));
__attribute__((weak)) int weak(int a, int b) { return a; }
extern int missing(int, int) __attribute__((weak));

static struct row {
    const char *name;
    op *f;
} table[] = {{"add", add}, {"sub", sub}, {"mul", mul}, {"weak", weak}};

static op *find(const char *name)
{
    for (int i = 0; i < 4; i++)
        if (!strcmp(table[i].name, name))
            return table[i].f;
    return NULL;
}

static op *choose(int n) { return n % 3 ? n % 3 == 1 ? add : sub : mul; }
static int apply(op *f, int a, int b) { return f == sub ? -f(a, b) : f(a, b); }
static op *(*pick)(int) = choose;

int main(int argc, char **argv)
{
    op *const local[] = {add, sub, mul};
    void *any = (void *)find("mul");

    for (int i = 0; i < 6; i++)
        printf("%d %d %d\n", choose(i) == local[(i + 2) % 3],
               apply(pick(i), i, 2), local[i % 3] == table[i % 3].f);
    printf("%d %d %d %d\n", any == (void *)mul, mul == mul_again,
           mul_again(6, 7), ((op *)any)(2, 3));
    printf("%d %d\n", missing ? missing(1, 2) : -1, find("weak")(8, 9));
    printf("%d\n", (argc ? add : sub)(1, 1) + weak(1, 1));
    return 0;
}

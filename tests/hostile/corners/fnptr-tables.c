#include "corner.h"
typedef async int op(int, int);
static async int
add(int a, int b)
{
    return await val(a) + b;
}
static async int
mul(int a, int b)
{
    return a * await val(b);
}
static async int
sub(int a, int b)
{
    SUSPEND();
    return a - b;
}
static op *const table[] = {add, mul, sub};
struct node {
    op *f;
    struct node *n;
    int v;
};
static async int
run(struct node *n, int acc)
{
    return n ? await run(n->n, await n->f(acc, n->v)) : acc;
}
static async int
apply(op *f, int a, int b)
{
    return await f(a, await(*f)(b, a));
}
static op *
pick(int i)
{
    return table[i % 3];
}
async int
main(void)
{
    struct node c = {sub, 0, 4}, b = {mul, &c, 3}, a = {add, &b, 2};
    int s = 0;
    for (int i = 0; i < 6; i++)
        s = s * 3 + await table[i % 3](i, 2) + await pick(i)(1, i) +
            await(i & 1 ? add : mul)(i, i) + await apply(pick(i), 2, 3);
    op *arr[2][2] = {{add, mul}, {sub, add}};
    s += await arr[await val(1)][await val(0)](9, 4);
    op **pp = arr[0];
    s += await(**pp)(1, 1) + await pp[1](2, 3);
    printf("%d %d\n", s, await run(&a, 1));
    return 0;
}

// A local whose initialiser takes its own address and awaits is one object.
// plain
#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>

struct node { struct node *self; int v; struct node *next; };

static async int val(int v) { await fm_yield(); return v; }
static async int
through(struct node *n, int v)
{
    n->v = v;
    await fm_yield();
    return n->v + 1;
}

static async int
list(int n)
{
    struct node a = {&a, await val(n), NULL};
    struct node b = {.self = &b, .next = &a, .v = await val(a.self->v + 1)};
    struct node c = {&c, await through(&b, 40), b.next};
    struct node *p = &(struct node){&a, await val(3), &b};
    int x = await val((int)sizeof(x)), *q = &x;
    *q += p->next->v + (a.self == &a) + (b.self == &b) + (c.self == &c);
    await fm_yield();
    return x * 10000 + c.v * 100 + p->self->v + (q == &x);
}

static async int
nested(int n)
{
    struct node *head = NULL;
    for (int i = 0; i < n; i++) {
        struct node *one = malloc(sizeof(*one));
        *one = (struct node){one, await val(i), head};
        head = one;
    }
    int sum = 0;
    for (struct node *p = head, *next; p; p = next) {
        next = p->next;
        sum = sum * 3 + await val(p->v) + (p->self == p);
        free(p);
    }
    return sum;
}

async int
main(void)
{
    printf("%d %d\n", await list(5), await nested(6));
    return 0;
}

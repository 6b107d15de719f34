// Struct results of every class come up through a deep recursion that
// suspends here and there, and into a heap object's member.
// id: L01, L18
// plain
#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>

struct pair { long a, b; };
struct large { long sum, depth, seen[4]; };
struct small { unsigned char a, b, c; };

static async struct small
small(int n)
{
    struct small below = {0}, s;
    if (n)
        below = await small(n - 1);
    if (n % 3 == 0)
        await fm_yield();
    s = (struct small){(unsigned char)(below.a + 1), (unsigned char)n,
                       (unsigned char)(below.c ^ n)};
    return s;
}

static async struct pair
pair(int n)
{
    struct pair p = {1, 0};
    if (n > 0) {
        struct pair left = await pair(n - 1), right = await pair(n - 2);
        p = (struct pair){left.a + right.a, left.b + right.b + n};
    }
    if (n % 4 == 1)
        await fm_yield();
    return p;
}

static async struct large
large(int n)
{
    struct large l = {0};
    if (n)
        l = await large(n - 1);
    if (n % 5 == 2)
        await fm_yield();
    l.sum += n;
    l.depth++;
    l.seen[n & 3] += n * l.sum;
    return l;
}

struct kept { int before; struct large l; struct pair p; int after; };

async int
main(void)
{
    struct kept *k = malloc(sizeof *k);
    k->before = k->after = 7;
    for (int i = 0; i < 200; i++) {
        k->l = await large(i);
        k->p = await pair(i % 12);
    }
    printf("%ld %ld %ld %ld %ld %ld %d%d\n", k->l.sum, k->l.depth,
           k->l.seen[0], k->l.seen[3], k->p.a, k->p.b, k->before, k->after);
    struct small s = await small(250);
    printf("%d %d %d\n", s.a, s.b, s.c);
    free(k);
    return 0;
}

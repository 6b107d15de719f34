// Awaits in array sizes, typedefs and sizeof of variable types count once.
// plain
#include <fermata.h>
#include <stdio.h>
#include <string.h>

static int calls;
static async unsigned
size(unsigned n)
{
    calls++;
    await fm_yield();
    return n;
}

static async unsigned long
use(void)
{
    typedef unsigned row[await size(3)];
    row a, b[2];
    char text[await size(5)][await size(2)];
    unsigned long s = sizeof(row) + sizeof(b) * 100 + sizeof(text) * 10000;
    s += sizeof(char[await size(9)]);
    memset(b, 0, sizeof(b));
    for (unsigned i = 0; i < 3; i++)
        a[i] = i, b[1][i] = i * 2;
    unsigned (*p)[await size(3)] = &b[1];
    await fm_yield();
    s += (*p)[2] + a[2];
    row *q = b + 1;
    await fm_yield();
    return s + sizeof(*q) + (*q)[1] + sizeof(*p);
}

async int
main(void)
{
    unsigned long s = await use();
    printf("%lu %d\n", s, calls);
    for (unsigned i = 1; i < 4; i++) {
        int v[await size(i)], w[i];
        v[i - 1] = (int)i, w[0] = v[i - 1];
        await fm_yield();
        printf("%zu %d\n", sizeof(v), v[i - 1] + w[0]);
    }
    printf("%d\n", calls);
    return 0;
}

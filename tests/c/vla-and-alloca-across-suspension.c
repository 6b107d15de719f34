// VLAs and alloca memory keep address and content, also when inlined.
// plain
#include <fermata.h>
#include <stdio.h>
#include <string.h>

__attribute__((always_inline)) static inline async unsigned
inlined(unsigned n)
{
    unsigned a[n], h = 0;
    unsigned *p = __builtin_alloca(n * sizeof(unsigned));
    for (unsigned i = 0; i < n; i++)
        a[i] = i, p[i] = i * 3;
    unsigned *pa = a;
    await fm_yield();
    for (unsigned i = 0; i < n; i++)
        h = h * 31 + pa[i] + p[i];
    return h;
}

static async unsigned
loops(unsigned n)
{
    unsigned h = 0;
    for (unsigned i = 1; i <= n; i++) {
        char text[i * 40][2];
        memset(text, (int)i, sizeof(text));
        await fm_yield();
        h = h * 3 + (unsigned)text[i * 40 - 1][1] + (unsigned)sizeof(text);
        h += await inlined(i);
        if (i % 3 == 0)
            continue;
        if (i == 8)
            break;
    }
    return h;
}

static async unsigned
allocas(unsigned n)
{
    unsigned h = 0;
    char *kept[20];
    for (unsigned i = 0; i < n; i++) {
        kept[i] = __builtin_alloca(i * 100 + 100);
        memset(kept[i], (int)i, i * 100 + 100);
        if (i % 3)
            await fm_yield();
        h += (unsigned)kept[i / 2][0];
    }
    for (unsigned i = 0; i < n; i++)
        h = h * 7 + (unsigned)kept[i][i * 100 + 99];
    return h;
}

static async unsigned
recursive(unsigned n)
{
    unsigned a[n + 1];
    a[n] = n;
    if (n)
        a[n] += await recursive(n - 1);
    else
        await fm_yield();
    return a[n];
}

static async unsigned
jumps(unsigned n)
{
    unsigned h = 0;
again:;
    unsigned a[n];
    a[n - 1] = n;
    await fm_yield();
    h = h * 5 + a[n - 1];
    if (n-- > 1)
        goto again;
    return h;
}

static async size_t
parameter(unsigned n, char (*p)[n])
{
    await fm_yield();
    return sizeof(*p) + (size_t)(*p)[n - 1];
}

async int
main(void)
{
    char text[2][7] = {"abc", "defghi"};
    printf("%u\n", await loops(12));
    printf("%u\n", await allocas(20));
    printf("%u %u\n", await recursive(50), await jumps(9));
    text[1][6] = 3;
    printf("%zu\n", await parameter(7, &text[1]));
    return 0;
}

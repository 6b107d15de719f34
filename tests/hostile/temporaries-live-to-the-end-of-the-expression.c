// Arrays inside a returned struct live across awaits of one expression.
// plain
#include <fermata.h>
#include <stdio.h>
#include <string.h>

struct text { char c[40]; int n; };

static async struct text
make(const char *s)
{
    struct text t;
    await fm_yield();
    t.n = snprintf(t.c, sizeof(t.c), "%s", s);
    return t;
}
static async size_t
length(const char *a, const char *b)
{
    await fm_yield();
    size_t n = strlen(a) * 100 + strlen(b);
    await fm_yield();
    return n + (size_t)(a[0] + b[0]);
}
static async const char *
same(const char *s)
{
    await fm_yield();
    return s;
}

async int
main(void)
{
    size_t n = await length((await make("hello")).c, (await make("you")).c);
    printf("%zu %c\n", n, (await make("abc")).c[2]);
    n = await length(await same((await make("inner text")).c),
                     strcpy((char[20]){0}, "literal"));
    printf("%zu\n", n);
    for (int i = 0; i < 3; i++)
        printf("%zu ", strlen(await same((await make("xyz")).c)) +
               (size_t)(await make("four")).n);
    printf("\n");
    return 0;
}

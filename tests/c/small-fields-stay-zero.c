// A struct of small fields that was zeroed is zero after the suspension.
// plain
// id: L15
#include <fermata.h>
#include <stdio.h>
#include <string.h>

struct inner { char a; short b; char c[3]; _Bool d; };
struct outer { struct inner i[2]; unsigned char e; int f; };

__attribute__((noinline)) static int
sum(const struct outer *o)
{
    const unsigned char *p = (const unsigned char *)o;
    int n = 0;
    for (size_t i = 0; i < sizeof(*o); i++)
        n += p[i];
    return n;
}

__attribute__((noinline)) static async int
zeroed(int v)
{
    struct outer o;
    memset(&o, 0, sizeof(o));
    o.i[1].c[1] = (char)v;
    await fm_yield();
    o.i[0].d = true;
    int before = sum(&o);
    memset(&o.i[1], 0, sizeof(o.i[1]));
    await fm_yield();
    return before * 1000 + sum(&o);
}

async int
main(void)
{
    printf("%d %d\n", await zeroed(0), await zeroed(9));
    return 0;
}

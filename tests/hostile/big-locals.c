// Locals of 4 KB, 64 KB and 1 MB are there after the suspension.
// plain
#include <fermata.h>
#include <stdio.h>
#include <string.h>

struct page { unsigned char b[4096]; };
struct large { unsigned char b[65537]; };

static unsigned
hash(const unsigned char *p, size_t n)
{
    unsigned h = 0;
    for (size_t i = 0; i < n; i++)
        h = h * 31 + p[i];
    return h;
}

static async struct large
make(int v)
{
    struct large l;
    memset(&l, v, sizeof(l));
    await fm_yield();
    l.b[65536] = (unsigned char)(v + 1);
    return l;
}

static async struct page
page_of(struct large l, struct page p)
{
    await fm_yield();
    memcpy(p.b + 4000, l.b + 65530, 7);
    return p;
}

static async unsigned
megabyte(int depth)
{
    unsigned char b[1 << 20];
    memset(b, depth, sizeof(b));
    if (depth)
        b[99] = (unsigned char)await megabyte(depth - 1);
    else
        await fm_yield();
    return hash(b, sizeof(b));
}

async int
main(void)
{
    struct large l = await make(7);
    struct page p = {{1, 2, 3}};
    printf("%u\n", hash(l.b, sizeof(l.b)));
    p = await page_of(l, p);
    printf("%u\n", hash(p.b, sizeof(p.b)));
    for (int i = 0; i < 3; i++)
        l = await make(i);
    printf("%u %u\n", hash(l.b, sizeof(l.b)), await megabyte(2));
    return 0;
}

// A hundred thousand iterations without and 2,000 with suspensions agree.
// plain
// id: X22
#include <fermata.h>
#include <stdio.h>

static async unsigned
mix(unsigned h, unsigned i, unsigned every)
{
    if (every && i % every == 0)
        await fm_yield();
    return (h ^ i) * 16777619u;
}

static async unsigned
rounds(unsigned n, unsigned every)
{
    unsigned h = 1;
    for (unsigned i = 0; i < n; i++)
        h = await mix(h, i, every) + (i & 1 ? await mix(i, h, 0) : 0);
    return h;
}

async int
main(void)
{
    printf("%u\n", await rounds(100000, 0));
    printf("%u\n", await rounds(100000, 50));
    printf("%u %u\n", await rounds(2000, 1), await rounds(2000, 0));
    return 0;
}

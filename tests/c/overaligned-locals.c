// Locals aligned to 64, 512 and 4096 keep alignment and content.
// plain
#include <fermata.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void *seen[4];
__attribute__((noinline)) static unsigned
misaligned(void *p, unsigned to, unsigned which)
{
    unsigned moved = seen[which] && seen[which] != p;
    seen[which] = p;
    return (unsigned)((uintptr_t)p % to) + moved;
}
struct aligned { _Alignas(128) int a; char b; };

static async unsigned
locals(unsigned n)
{
    _Alignas(64) char a[3] = "ab";
    _Alignas(512) int b = (int)n;
    _Alignas(4096) char c[5000];
    struct aligned d = {.a = 4, .b = 5};
    unsigned bad = 0;
    memset(c, 7, sizeof(c));
    memset(seen, 0, sizeof(seen));
    for (int i = 0; i < 3; i++) {
        bad += misaligned(a, 64, 0) + misaligned(&b, 512, 1);
        bad += misaligned(c, 4096, 2) + misaligned(&d, 128, 3);
        await fm_yield();
        b++;
        c[4999]++;
    }
    return bad * 10000 + (unsigned)(b + c[4999] + c[0] + d.a + d.b) +
           (unsigned)(a[1] == 'b');
}

static async unsigned
deeper(unsigned n)
{
    _Alignas(256) unsigned x = n;
    if (n)
        x += await deeper(n - 1);
    bool ok = (uintptr_t)&x % 256 == 0;
    return x + !ok * 100000 + (n ? 0 : await locals(3));
}

async int
main(void)
{
    printf("%u %u\n", await locals(1), await deeper(5));
    return 0;
}

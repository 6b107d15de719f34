// A local that is used before an await is alive after it, in every block.
#include <fermata.h>
#include <stdio.h>
struct t { long a, b, c; };
async long take(struct t x) { await fm_yield(); return x.a + x.b + x.c; }
__attribute__((noinline)) async struct t give(long n) { await fm_yield(); return (struct t){n, n, n}; }
async int main(void) { long s = 0; for (int i = 0; i < 3; i++) { struct t t = await give(i); s += t.a; await fm_yield(); s += t.b; } s += await take((struct t){1, 2, 3}); printf("%ld\n", s); return 0; }

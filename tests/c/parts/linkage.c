// The other file of linkage-of-every-kind.
#include <fermata.h>
async int plus(int x) { await fm_yield(); return x + 1; }
async int aliased(int) __attribute__((alias("plus")));
async __attribute__((weak)) int weak_there(int x) { return x + 10; }
static async int fast(int x) { return x * 100; }
typedef async int fn(int);
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
static fn *resolve(void) { return fast; }
async int chosen(int) __attribute__((ifunc("resolve")));
#else
async int chosen(int x) { return await fast(x); }
#endif
async int labelled(int) __asm__("other_name");
async int labelled(int x) { return await plus(x) + 50; }
async int opendir(int x) { await fm_yield(); return x * 3; }
async int (*const table[])(int) = {plus, fast};

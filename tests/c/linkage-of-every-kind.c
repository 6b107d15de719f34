// Async functions are found by alias, weak, ifunc, assembler label, pointer
// and table, over several files, and may have names of libc's.
// with: parts/linkage.c
#include <fermata.h>

int printf(const char *, ...);
async int plus(int);
async int aliased(int);
async int weak_there(int) __attribute__((weak));
async int weak_missing(int) __attribute__((weak));
async int chosen(int);
async int labelled(int) __asm__("other_name");
async int puts(const char *s) { await fm_yield(); return s[0]; }
async long stat(long x) { fm_throw(5, "stat %ld", x); return x; }
async int opendir(int x);
extern async int (*const table[])(int);
static async int twice(int x) { return await plus(x) * 2; }
static async inline __attribute__((always_inline)) int always(int x)
{
    return await twice(x) + 1;
}
typedef async int fn(int);
static fn *volatile pointer = twice;
async inline int inlined(int x) { return await plus(x); }
extern async int inlined(int x);
async int deep(int n) { return n ? await deep(n - 1) + 1 : await plus(0); }
async int odd(int n);
async int even(int n) { return n ? await odd(n - 1) : 1; }
async int odd(int n)
{
    if (n % 7 == 0) await fm_yield();
    return n ? await even(n - 1) : 0;
}

async int main(void)
{
    long r;
    fm_fault *f = await fm_attempt(&r, stat(3));

    printf("%d %d %d\n", await plus(1), await aliased(2), await labelled(3));
    printf("%d %d\n", weak_there ? await weak_there(1) : -1,
           weak_missing ? await weak_missing(1) : -1);
    printf("%d %d %d\n", await chosen(5), await puts("a"),
           fm_fault_code(f));
    printf("%d %d %d %d\n", await opendir(2), await table[0](1),
           await table[1](1), await pointer(4));
    printf("%d %d\n", await always(1), await inlined(2));
    printf("%d %d %d\n", await deep(1000), await even(100), await even(101));
    return 0;
}

# Async functions of other translation units and libraries are right.
# time: 120
set -e
cat >lib.h <<'E'
#include <fermata.h>
struct pair { long a; double b; };
async int lib_sum(int n);
async struct pair lib_pair(int n);
async void lib_fail(int n);
extern async int (*const lib_table[2])(int);
typedef async int lib_step(int);
async int lib_apply(lib_step *f, int n);
async int lib_weak(int n);
extern _Thread_local int lib_tls;
int lib_plain(int);
E
cat >lib.c <<'E'
#include "lib.h"
_Thread_local int lib_tls;
static async int one(int v) { await fm_yield(); return v; }
async int lib_sum(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += await one(i);
    lib_tls += s;
    return s;
}
async struct pair lib_pair(int n)
{
    struct pair p = {await one(n), (double)n / 2};
    return p;
}
async void lib_fail(int n)
{
    await fm_yield();
    fm_throw(FM_CODE_USER + n, "lib %d", n);
}
async int (*const lib_table[2])(int) = {one, lib_sum};
async int lib_apply(lib_step *f, int n) { return await f(n) + await f(n + 1); }
__attribute__((weak)) async int lib_weak(int n) { return await one(n); }
int lib_plain(int n) { return n + 1; }
E
cat >main.c <<'E'
#include "lib.h"
#include <stdio.h>
static async int twice(int v) { await fm_yield(); return v * 2; }
#ifdef STRONG
async int lib_weak(int n) { return await twice(n); }
#endif
async int main(void)
{
    fm_fault *f;
    printf("%d %d\n", await lib_sum(10), lib_tls);
    struct pair p = await lib_pair(9);
    printf("%ld %.1f\n", p.a, p.b);
    fm_try { await lib_fail(3); } fm_catch (f) {
        printf("%s\n", fm_fault_message(f));
    }
    printf("%d %d\n", await lib_table[0](7), await lib_table[1](5));
    printf("%d %d\n", await lib_apply(twice, 3), await lib_apply(lib_sum, 3));
    printf("%d %d\n", await lib_weak(21), lib_plain(1));
    FM_TASK(int) t = fm_start(lib_sum(4));
    printf("%d\n", await fm_join(t));
    return 0;
}
E
cat >want <<'E'
45 45
9 4.5
lib 3
7 10
14 9
21 2
6
E
sed 's/^21 2/42 2/' want >strong
for level in -O0 -O2 -Os; do
    "$CC" $level -c lib.c -o lib.o
    "$CC" $level lib.o main.c -o t1 && ./t1 >out && diff want out
    "$CC" $level -DSTRONG lib.o main.c -o t2 && ./t2 >out && diff strong out
    "$CC" $level -fPIC -c lib.c -o pic.o
    rm -f lib.a && ar rc lib.a pic.o
    "$CC" $level main.c lib.a -o t3 && ./t3 >out && diff want out
    "$CC" $level -fPIC -shared lib.c -o libl.so
    "$CC" $level main.c -L. -ll -Wl,-rpath,"$PWD" -o t4
    ./t4 >out && diff want out
    "$CC" $level -ffunction-sections -Wl,--gc-sections lib.c main.c -o t5
    ./t5 >out && diff want out
done
if command -v ld.lld-19 >/dev/null; then
    for lto in -flto -flto=thin; do
        "$CC" -O2 $lto -fuse-ld=lld-19 lib.c main.c -o t6
        ./t6 >out && diff want out
    done
fi

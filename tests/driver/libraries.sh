# Async functions in static and shared libraries await each other with one
# runtime, also under LTO, section collection, lld, -static and a shared runtime.
# time: 120
cat >a.c <<'E'
#include <fermata.h>
async int leaf(int x)
{
    await fm_yield();
    return x + 1;
}
E
cat >b.c <<'E'
#include <fermata.h>
async int leaf(int x);
_Thread_local int seen;
async int middle(int x)
{
    int n = await leaf(x) + await leaf(x);
    seen++;
    return n;
}
E
cat >m.c <<'E'
#include <fermata.h>
#include <stdio.h>
async int middle(int x);
async int main(void)
{
    FM_TASK(int) t = fm_start(middle(1));
    printf("%d\n", await middle(10) + await fm_join(t));
    return 0;
}
E
run() { # run COMMAND...: links ./t, which must print 26
    rm -f t
    "$@" -o t >log 2>&1 || { echo "$*"; cat log; exit 1; }
    if [ -s log ]; then echo "not silent: $*"; cat log; exit 1; fi
    got=$(LD_LIBRARY_PATH=.:$(dirname "$CC")/../lib ./t)
    [ "$got" = 26 ] || { echo "$*: printed '$got'"; exit 1; }
}
for level in -O0 -O2; do
    run "$CC" $level a.c b.c m.c
    "$CC" $level -c a.c b.c m.c && ar rcs liba.a a.o
    run "$CC" m.o b.o -L. -la
    "$CC" $level -shared -fPIC a.c -o libone.so || exit 1
    run "$CC" m.o b.o -L. -lone
    "$CC" $level -shared -fPIC b.c -L. -lone -o libtwo.so || exit 1
    run "$CC" m.o -L. -ltwo -lone
    run "$CC" $level -static a.c b.c m.c
    run "$CC" $level -shared-libfermata m.c -L. -ltwo -lone
    "$CC" $level -r a.o b.o -o ab.o && run "$CC" m.o ab.o
done
run "$CC" -O2 -ffunction-sections -Wl,--gc-sections a.c b.c m.c
run "$CC" -O2 -fuse-ld=lld a.c b.c m.c
run "$CC" -O2 -fuse-ld=lld -Wl,--icf=all -ffunction-sections a.c b.c m.c
run "$CC" -O2 -flto -fuse-ld=lld a.c b.c m.c
run "$CC" -O2 -flto=thin -fuse-ld=lld a.c b.c m.c
run "$CC" -O2 -g -fPIE -pie -Wl,-z,now a.c b.c m.c
run "$CC" -O2 -fno-pie -no-pie a.c b.c m.c
run "$CC" -O2 -fvisibility=hidden -fcf-protection a.c b.c m.c

# An object compiled without the compiler half never links.
clang-19 -fexceptions -I"$TOP/include" -c a.c -o plain.o || exit 1
if "$CC" m.o b.o plain.o -o t 2>log; then exit 1; fi
grep -q 'fermata_plugin_missing_compile_with_fermata_cc' log || exit 1
grep -q 'leaf.fm1' log || exit 1

# A library that is loaded while the program runs finds the program's runtime.
cat >d.c <<'E'
#include <dlfcn.h>
#include <fermata.h>
#include <stdio.h>
async int main(void)
{
    async int (*leaf)(int);
    void *lib = dlopen("./libone.so", RTLD_NOW);
    if (!lib)
        return puts(dlerror()), 1;
    *(void **)&leaf = fm_dlsym(lib, "leaf");
    printf("%d\n", await leaf(25));
    return 0;
}
E
run "$CC" -O2 -shared-libfermata d.c
run "$CC" -O2 d.c
run "$CC" -O2 -fuse-ld=lld d.c

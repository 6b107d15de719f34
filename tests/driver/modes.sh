# The driver compiles, links, preprocesses and reads @files as clang does.
# time: 120
# smoke
set -e
cat >a.c <<'E'
int b(void);
int main(void) { return b(); }
E
echo 'int b(void) { return 0; }' >b.c
quiet() {
    "$CC" "$@" >log 2>&1
    if [ -s log ]; then echo "not silent: $*"; cat log; exit 1; fi
}
quiet a.c b.c -o t && ./t
quiet -c a.c b.c && quiet a.o b.o -o t2 && ./t2
quiet -c a.c -o x.o && test -f x.o
quiet -S a.c && test -f a.s && quiet -c a.s -o s.o
"$CC" -E a.c | grep -q 'return b()'
"$CC" -M a.c | grep -q '^a.o: a.c'
"$CC" -MMD -MF deps.d -c a.c && grep -q a.c deps.d
quiet -fsyntax-only -Werror a.c
quiet -shared -fPIC b.c -o libb.so
quiet -r a.o b.o -o r.o && quiet r.o -o t3 && ./t3
quiet -static a.c b.c -o t4 && ./t4
quiet -x c - -o t5 <b.c -c
printf '%s\n' '-c "a.c"' "-o 'with space.o'" >args && quiet @args
test -f 'with space.o'
printf '%s\n' '-o t6 -- a.c' >args && quiet @args b.c && ./t6
cp a.c ./-a.c && quiet b.c -o t7 -- -a.c && ./t7
quiet -Rpass=inline -c a.c
"$CC" --version | grep -q 'clang version'
"$CC" -### a.c 2>&1 | grep -q fpass-plugin
echo '#error no' >e.c
if "$CC" -c e.c 2>log; then exit 1; fi
grep -q 'e.c:1:2: error: no' log
if "$CC" 2>log; then exit 1; fi
grep -q 'no input files' log
# What is compiled already is not split again.
cat >s.c <<'C'
#include <fermata.h>
static async int one(int x) { await fm_yield(); return x; }
async int main(void) { return await one(3) + await one(-3); }
C
for level in -O0 -O2; do
    quiet $level -S -emit-llvm s.c -o s.ll && quiet -O2 s.ll -o t8 && ./t8
    quiet $level -c -emit-llvm s.c -o s.bc && quiet -O0 s.bc -o t8 && ./t8
done

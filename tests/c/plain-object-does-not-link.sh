# An object compiled without Fermata never links with one that was.
cat >a.c <<'E'
#include <fermata.h>
async int f(int v) { return v; }
E
cat >b.c <<'E'
int f(int);
int main(void) { return f(1); }
E
"$CC" -c a.c && "$CC" -c b.c || exit 1
if "$CC" a.o b.o -o t 2>err; then echo "linked"; exit 1; fi
grep -q "undefined.*f" err || exit 1
cat >c.c <<'E'
#include <fermata.h>
async int f(int v);
async int main(void) { return await f(1); }
E
echo 'int f(int v) { return v; }' >d.c
"$CC" -c c.c && clang-19 -c d.c || exit 1
if "$CC" c.o d.o -o t 2>err; then echo "linked"; exit 1; fi
grep -q "undefined.*f.fm1" err || { cat err; exit 1; }
# without the plugin nothing links
if clang-19 -fexceptions -I"$TOP/include" -Wno-everything a.c b.c -o t 2>err; then
    exit 1
fi
grep -q fermata_plugin_missing err

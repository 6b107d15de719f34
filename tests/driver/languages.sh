# C++ and sources that were preprocessed before compile like C.
cat >t.cpp <<'E'
#define FERMATA_KEYWORDS
#include <fermata.h>
#include <string>
extern "C" async int one(int x);
struct pair {
    int v;
    async int get() { return await one(v); }
};
template <class T> async T twice(T x) { return await one(x) + await one(x); }
async int f(std::string s)
{
    auto inner = [](int x) { return fm_start(one(x)); };
    pair p{3};
    return await p.get() + await twice(4) + await fm_join(inner((int)s.size()));
}
E
quiet() {
    "$CC" "$@" >log 2>&1 || { cat log; exit 1; }
    if [ -s log ]; then echo "not silent: $*"; cat log; exit 1; fi
}
quiet -std=c++20 -Wall -Wextra -c t.cpp -o t.o
"${CC%cc}c++" -std=c++11 -c t.cpp -o t2.o || exit 1
cat >t.c <<'E'
#include <fermata.h>
async int one(int x);
async int f(void) { return await one(1) + __extension__ 3; }
E
quiet -E t.c -o t.i
quiet -Wall -Wextra -c t.i
quiet -E -P t.c -o p.i
quiet -Wall -Wextra -c p.i
quiet -save-temps -c t.c
quiet -x c-header t.c -o t.pch

# In C++ too an out parameter of another type, or a missing value, is refused.
refused() {
    printf '#define FERMATA_KEYWORDS\n#include <fermata.h>\n%s\n' "$1" >x.cpp
    if "${CC%cc}c++" -c x.cpp 2>err; then echo "not refused: $1"; exit 1; fi
    grep -q "$2" err || { cat err; exit 1; }
}
refused 'async int f(); async void g(long *n) { (void)await fm_attempt(n, f()); }' \
    'the out parameter must point to what the call returns'
refused 'void g(FM_SOURCE(int) s) { fm_source_set_void(s); }' \
    'use fm_source_set'

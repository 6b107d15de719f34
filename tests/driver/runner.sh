# The runner counts what fails, what passes and what is skipped, and says why.
# time: 60
run() { JOBS=1 "$TOP/tests/run" "$@" 2>log; }
want() { # want "N passed, N failed, N skipped" EXIT FILE
    got=$(run "$3"); code=$?
    [ "$got" = "$1" ] && [ $code = "$2" ] && return
    echo "$3: '$got' exit $code, not '$1' exit $2"; cat log; exit 1
}
program() { # program NAME BODY: a plain C test read once
    printf '// A sentence that must hold.\n// only: clang\n%s\n' \
        "#include <stdio.h>
#include <stdlib.h>
int main(void) { $2 }" >"$1.c"
}
program good 'puts("x"); return 0;' && echo x >good.out
want "1 passed, 0 failed, 0 skipped" 0 good.c
program text 'puts("x"); return 0;' && echo y >text.out
want "0 passed, 1 failed, 0 skipped" 1 text.c
grep -q '^fail: .*text.c (clang)' log && grep -q '> x' log || exit 1
program code 'return 3;'
want "0 passed, 1 failed, 0 skipped" 1 code.c
echo 3 >code.exit
want "1 passed, 0 failed, 0 skipped" 0 code.c
program crash 'abort();'
want "0 passed, 1 failed, 0 skipped" 1 crash.c
program slow 'for (;;) ;' && sed -i '2i // time: 1' slow.c
want "0 passed, 1 failed, 0 skipped" 1 slow.c
program broken 'return x;'
want "0 passed, 1 failed, 0 skipped" 1 broken.c
program loud 'fputs("oh\n", stderr); return 0;'
echo no >loud.err && : >loud.out
want "0 passed, 1 failed, 0 skipped" 1 loud.c
program absent 'return 0;' && sed -i '2i // needs: no-such-command' absent.c
want "0 passed, 0 failed, 1 skipped" 0 absent.c
printf '// Diagnostics.\nint x = "";\n' >said.c
echo 'said.c:2:5: error: something else' >said.err
want "0 passed, 2 failed, 0 skipped" 1 said.c
printf '# A script.\nexit 77\n' >skip.sh
want "0 passed, 0 failed, 1 skipped" 0 skip.sh
printf '# A script.\nexit 1\n' >bad.sh
want "0 passed, 1 failed, 0 skipped" 1 bad.sh
refused() { # refused SENTENCE READINGS FILE...: before anything runs
    sentence=$1 readings=$2
    shift 2
    got=$(run -r "$readings" "$@"); code=$?
    [ $code = 2 ] && [ ! "$got" ] && grep -q "$sentence" log && return
    echo "-r '$readings' $*: '$got' exit $code"; cat log; exit 1
}
printf '# A script.\nexit 0\n' >ran.sh
refused 'good.c is C and is not read by sh' sh good.c
refused 'good.c is C and is not read by sh' "clang sh" ran.sh good.c
refused 'no reading O9' "clang O9" good.c
got=$(run -r "sh" ran.sh) && [ "$got" = "1 passed, 0 failed, 0 skipped" ] ||
    { echo "-r sh of a script: '$got'"; exit 1; }

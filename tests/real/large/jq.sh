# jq, all of it converted, passes its own tests as it did.
# time: 1500
# needs: apt-get nm
. "$TOP/tests/real/program"
real_fetch jq

# What its configure would find, without oniguruma.
build() {
    (cd source && echo '#define JQ_VERSION "x"' >src/version.h &&
        sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/' \
            src/builtin.jq >src/builtin.inc &&
        grep -o '^LIBM_[A-Z]*([a-z0-9_]*' src/libm.h | sed 's/.*(//' |
        tr a-z A-Z | sort -u | grep -v -e POW10 -e DREM -e SIGNIFICAND \
            -e GAMMA$ | sed 's/.*/#define HAVE_& 1/' >config.h &&
        $cc -D_GNU_SOURCE -DIEEE_8087 -DHAVE_TM_TM_GMT_OFF -DHAVE_TIMEGM \
            -DHAVE_GMTIME_R -DHAVE_LOCALTIME_R -DHAVE_STRPTIME -DHAVE_MEMMEM \
            -DHAVE_STRFTIME -DHAVE_MKTIME -DHAVE_GETTIMEOFDAY -DHAVE_ISATTY \
            -DHAVE_ALLOCA_H -DHAVE_MKSTEMP -DHAVE_SETLOCALE \
            -DHAVE_PTHREAD_KEY_CREATE -DHAVE_PTHREAD -DHAVE_FREXP -DHAVE_MODF \
            -include config.h -I. -Isrc -o ../prog src/builtin.c \
            src/bytecode.c src/compile.c src/execute.c src/jq_test.c src/jv*.c \
            src/lexer.c src/linker.c src/locfile.c src/main.c src/parser.c \
            src/util.c -lm -lpthread)
}

exercise() {
    for tests in jq base64 optional; do
        HOME=$PWD/source/tests ./prog -L source/tests/modules \
            --run-tests source/tests/$tests.test
        echo "exit $?"
    done
    printf '{"a":[3,1,2],"b":{"c":"x"}}\n[1,2' >in.json
    ./prog -S . in.json
    echo "exit $?"
    ./prog -n '[range(2000)] | map(select(. % 7 == 0)) | add'
    ./prog -n 'def f(n): if n == 0 then 0 else 1 + f(n - 1) end; f(3000)'
    ./prog -n --arg x 5 --argjson y '[1]' '$x, $y, env.HOME != null, input'
    echo "exit $?"
    ./prog -n '[limit(5; repeat(1))], try error("e") catch ., ("a" * 3)'
    ./prog -n --stream '[1, [2, 3]] | tostream' -c
    ./prog '.a.b.c' source/tests/modules/data.json
    ./prog -n 'syntax error here'
    echo "exit $?"
    seq 300 | ./prog -s 'sort_by(-.) | group_by(. % 3) | map(length)' -c
    ./prog -e -n 'false, null'
    echo "exit $?"
}
real_compare ${READINGS:-O0 1,3 O2 2,1 O2 3,16}

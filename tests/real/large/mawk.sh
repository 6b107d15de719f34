# mawk, all of it converted, passes its own tests as it did.
# time: 900
# needs: apt-get nm
. "$TOP/tests/real/program"
real_fetch mawk

build() {
    (cd source && CC=clang-19 CFLAGS="-w -O1" ./configure -q >configure.log &&
        make -s scancode.c version.c 2>>configure.log >&2; cd .. &&
        cd source && $cc -DHAVE_CONFIG_H -I. -o ../prog array.c bi_funct.c \
            bi_vars.c cast.c code.c da.c error.c execute.c fcall.c field.c \
            files.c fin.c hash.c init.c jmp.c kw.c main.c matherr.c memory.c \
            parse.c print.c re_cmpl.c \
            regexp.c scan.c scancode.c split.c \
            version.c zmalloc.c -lm)
}

exercise() {
    (cd source/test && cp ../../prog mawk &&
        for t in mawktest fpe_test; do
            PATH=.:$PATH sh ./$t ./mawk 2>&1 | grep -v -i -e ' real' -e second
        done)
    ./prog 'BEGIN { for (i = 0; i < 2000; i++) a[i % 37] += i * i
        for (k = 0; k < 37; k++) s = s " " a[k]; print s
        printf "%5.2f|%-6s|%x|%c|%e\n", 3.14159, "ab", 255, 65, 1e10
        print substr("hello", 2, 3), index("abc", "c"), toupper("x"),
            length("four"), split("a:b:c", p, ":"), p[3]
        while (("echo one; echo two" | getline line) > 0) print line
        print match("foobar", /o+b/), RSTART, RLENGTH
        gsub(/[aeiou]/, "<&>", line); print line
        print 1 / 3 > "out.txt"; close("out.txt")
        getline x < "out.txt"; print x; exit 5 }'
    echo "exit $?"
    ./prog 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }
        BEGIN { print f(18) }'
    ./prog -F: 'NR % 2 { n++; s += NF } END { print n, s, NR }' source/*.c
    ./prog '{ c[$1]++ } END { for (w in c) if (c[w] > 40) print c[w], w }' \
        source/*.c | sort
    ./prog 'BEGIN { print 1 / 0 }'
    echo "exit $?"
    ./prog 'BEGIN { syntax error'
    echo "exit $?"
}
real_compare ${READINGS:-O0 1,3 O2 2,1 Os 3,16}

# Duktape, all of it converted, runs a script that uses most of JavaScript.
# time: 1500
# needs: apt-get nm
. "$TOP/tests/real/program"
real_fetch duktape

build() {
    (cd source && $cc -Isrc -Iextras/console -Iexamples/cmdline \
        -DDUK_CMDLINE_CONSOLE_SUPPORT -DDUK_CMDLINE_PRINTALERT_SUPPORT \
        -Iextras/print-alert -o ../prog src/duktape.c \
        examples/cmdline/duk_cmdline.c extras/console/duk_console.c \
        extras/print-alert/duk_print_alert.c -lm)
}

exercise() {
    ./prog "$TOP/tests/real/large/everything.js"
    echo "exit $?"
    ./prog -c compiled.bin "$TOP/tests/real/large/everything.js"
    ./prog -b compiled.bin | cksum
    ./prog source/mandel.js | cksum
    echo 'print(1 +' >bad.js && ./prog bad.js
    echo "exit $?"
    echo 'throw new RangeError("r")' >throw.js && ./prog throw.js
    echo "exit $?"
}
real_compare ${READINGS:-O0 1,3 O2 2,5}

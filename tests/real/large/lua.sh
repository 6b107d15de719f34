# Lua, all of it converted, runs a script that uses most of the language.
# time: 900
# needs: apt-get nm
. "$TOP/tests/real/program"
real_fetch lua5.4

build() {
    (cd source/src && rm -f luac.c && $cc -DLUA_USE_POSIX -o ../../prog *.c -lm)
}

exercise() {
    script_runs 2>&1 | sed 's/0x[0-9a-f]\{6,\}/ADDRESS/g'
}

script_runs() {
    ./prog "$TOP/tests/real/large/everything.lua" one two
    echo "exit $?"
    ./prog -e 'print(#arg, ...)' -W -v 2>&1
    echo 'x = 5 print(x) error("from a pipe")' | ./prog - a b
    echo "exit $?"
    ./prog -e 'local t = nil; t.x = 1'
    echo "exit $?"
    ./prog -i <<'END'
1 + 1
for i = 1, 3 do
print(i)
end
string.rep
END
    echo "exit $?"
}
real_compare ${READINGS:-O0 1,3 O0 2,16 O2 3,1 O2 4,7 Os 5,2}

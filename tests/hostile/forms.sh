# Block forms and marks, nested and left in odd ways, agree at every level.
# time: 600
cd "$TOP/tests/hostile/forms" || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
fail=0
for f in *.c; do
    while read -r flags; do
        if ! "$CC" -w -I../corners $flags $f -o "$out/t" >"$out/log" 2>&1; then
            echo "$f does not compile with $flags"
            head -5 "$out/log"
            fail=1
        elif ! timeout 20 "$out/t" >"$out/got" 2>&1 ||
                ! diff ${f%.c}.want "$out/got" >"$out/log"; then
            echo "$f is wrong with $flags"
            head -5 "$out/log"
            fail=1
        fi
    done <<'END'
-O0 -DW=1
-O0 -g -DW=0
-O1 -DW=2
-O2 -DW=1
-O3 -DW=0
-Oz -DW=2
END
done
exit $fail

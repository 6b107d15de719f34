# Corners of C: with awaits erased, completed and suspended they print the same.
# time: 900
cd "$TOP/tests/hostile/corners" || exit 1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
fail=0 n=0
for f in *.c; do
    clang-19 -w -O1 -I../../plain $f -o "$out/p" -lm -latomic &&
        "$out/p" >"$out/want" || exit 1
    while read -r flags; do
        if ! "$CC" -w $flags $f -o "$out/t" -lm -latomic >"$out/log" 2>&1; then
            echo "$f does not compile with $flags"
            head -5 "$out/log"
            fail=1
        elif ! timeout 20 "$out/t" >"$out/got" 2>&1 ||
                ! diff "$out/want" "$out/got" >"$out/log"; then
            echo "$f is wrong with $flags"
            head -5 "$out/log"
            fail=1
        fi
        n=$((n + 1))
    done <<'END'
-O0 -DW=2
-O2 -DW=1
END
done
[ $n -gt 80 ] || { echo "only $n were read"; exit 1; }
exit $fail

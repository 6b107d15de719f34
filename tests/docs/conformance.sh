# Each test that docs/conformance.md names is there, and each id of a test is
# in its tables.
page=$TOP/docs/conformance.md wrong=0
names=$(grep -oE '(c|rt|io|sync|gen|soak|model|hostile|refuse|driver|ir)/[a-z][a-z0-9-]*\.(c|sh)' \
    "$page" | sort -u)
[ "$(echo "$names" | wc -l)" -gt 60 ] || { echo "it names few tests"; exit 1; }
for name in $names; do
    [ -f "$TOP/tests/$name" ] || { echo "there is no $name"; wrong=1; }
done
for id in $(sed -n 's,^// id: ,,p' "$TOP"/tests/c/*.c | tr -d ,); do
    n=${id#?} found=
    for first in $(seq 0 3); do # F02 may stand in F01-F03
        from=$(printf '%s%02d' "${id%"$n"}" $((${n#0} - first)))
        grep -qE "^\| .*(\b$id\b|\b$from-)" "$page" && found=1
    done
    [ $found ] || { echo "$id is in no table"; wrong=1; }
done
exit $wrong

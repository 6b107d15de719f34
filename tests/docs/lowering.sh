# docs/lowering.md shows what the passes really find in its function.
page=$TOP/docs/lowering.md
sed -n '/^```c$/,/^```$/p' "$page" | sed '1d;$d' >total.c
sed -n '/^```dump$/,/^```$/p' "$page" | grep -v '^```' >said
test "$(wc -l <said)" -gt 15 || { echo "the page was not read"; exit 1; }
FERMATA_DUMP=all "$CC" -O2 -c total.c 2>is || { cat is; exit 1; }
# -Rpass=fermata says the same in its own words.
"$CC" -O2 -Rpass=fermata -c total.c 2>&1 |
    grep -q "has 3 suspension points and a record of 80 bytes" || exit 1
diff said is

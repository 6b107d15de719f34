# Random programs trace their faults alike at every level, lines included.
# time: 300
# needs: python3
for seed in ${SEEDS:-1 2 3 4 5 6}; do
    python3 "$TOP/tests/gen/traces.py" $seed >p.c || exit
    for level in -O0 -O2 -Os; do
        # A forwarded await takes its frame out of traces.
        $CC $level -fno-optimize-sibling-calls -w -o p p.c || exit
        ./p >is || exit
        [ $level != -O0 ] || cp is want
        diff want is || { echo "seed $seed at $level"; exit 1; }
    done
    traces=$((${traces:-0} + $(grep -c ': ' want)))
done
[ "$traces" -gt 20 ] || { echo "only $traces traces"; exit 1; }

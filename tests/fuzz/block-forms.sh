# Random programs of block forms print what their meaning says.
# time: 120
clang-19 -std=c17 -O1 -o generate "$TOP/tests/fuzz/block-forms.in.c" ||
    exit 1
ran=0 seed=${SEED:-1}
while [ $ran -lt ${PROGRAMS:-6} ]; do
    seed=$((seed + 1))
    ./generate $seed output >want || continue # 77: too long
    ./generate $seed program >p.c
    for level in -O0 "-O1 -g" -O2; do
        $CC $level -o p p.c 2>err || { echo "seed $seed $level: refused" >&2
            cat err >&2; exit 1; }
        timeout 20 ./p >got 2>err || { echo "seed $seed $level: $?" >&2
            cat err >&2; exit 1; }
        cmp want got || { echo "seed $seed $level differs" >&2; exit 1; }
    done
    ran=$((ran + 1))
done

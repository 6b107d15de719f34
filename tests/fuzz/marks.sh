# Random programs of marked calls print what the unmarked ones do in plain C.
# time: 120
here=$TOP/tests/fuzz
clang-19 -std=c17 -O1 -o generate "$here/marks.in.c" || exit 1
ran=0 seed=${SEED:-1}
while [ $ran -lt ${PROGRAMS:-4} ]; do
    seed=$((seed + 1))
    ./generate $seed >p.c
    clang-19 -std=c17 -w -O1 -fwrapv -DPLAIN -I"$here" -o plain p.c || exit 1
    timeout 20 ./plain >want || exit 1
    for level in -O0 "-O1 -g" -O2 "-O0 -g -DWAITS" "-O2 -DWAITS"; do
        $CC $level -w -fwrapv -I"$here" -o p p.c 2>err || {
            echo "seed $seed $level: refused" >&2
            head -30 err >&2
            exit 1
        }
        timeout 20 ./p >got 2>err || {
            echo "seed $seed $level: exit $?" >&2
            cat err >&2
            exit 1
        }
        cmp want got || { echo "seed $seed $level differs" >&2; exit 1; }
    done
    ran=$((ran + 1))
done

# Random async programs with faults and cleanups do the same at every level.
# time: 1200
# needs: python3
# Known: clang crashes in defer.c on storm programs; positions is cut off.
[ -z "$CI" ] || exit 77
"$TOP/tests/gen/readings" --jobs 1 --kind storm

# csmith's programs do under -ffermata-stress what they do under plain clang.
# time: 400
# needs: csmith
. "$TOP/tests/fuzz/csmith"
fuzz_run 1 "${PROGRAMS:-40}" any || exit 1

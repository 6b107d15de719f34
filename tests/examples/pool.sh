# examples/fanout.c and queens.c print what is right, whatever the pool's size.
$CC -O2 -o fanout "$TOP/examples/fanout.c" || exit 1
$CC -O2 -o queens "$TOP/examples/queens.c" || exit 1
for n in 1 2 4; do
    FERMATA_POOL=$n timeout 10 ./fanout >got || exit 1
    head -1 got
    grep -c '^number 4 is out of order (in ask)' got
    for q in 1 5 8 9; do
        FERMATA_POOL=$n timeout 10 ./queens $q || exit 1
    done
done

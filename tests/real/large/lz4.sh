# lz4, all of it converted, writes the same bytes and reads them back.
# time: 900
# needs: apt-get nm
. "$TOP/tests/real/program"
real_fetch lz4

build() {
    (cd source && $cc -DXXH_NAMESPACE=LZ4_ -DLZ4IO_MULTITHREAD=0 -Ilib \
        -o ../prog lib/*.c programs/lz4cli.c programs/lz4io.c \
        programs/bench.c programs/datagen.c &&
        $cc -DXXH_NAMESPACE=LZ4_ -Ilib -Iprograms -o ../round \
            tests/roundTripTest.c lib/lz4.c lib/lz4hc.c lib/xxhash.c)
}

exercise() {
    cat source/lib/*.c source/doc/*.html >big
    for how in -1 -3 -9 -12 --fast=5 -BD\ -B4 -BX\ --content-size \
        --favor-decSpeed\ -11; do
        ./prog -q $how -c big >big.lz4
        echo "exit $?" && cksum <big.lz4
        ./prog -q -dc big.lz4 | cmp - big
        ./prog -q -t big.lz4
        echo "exit $?"
    done
    ./prog -l -c big -12 2>&1 | cksum
    ./prog --list big.lz4 | tail -1
    ./prog -q -f -D source/lib/lz4.h big dict.lz4
    ./prog -q -dc -D source/lib/lz4.h dict.lz4 | cmp - big
    head -c 5000 big.lz4 | ./prog -dc 2>&1 | cksum
    ./prog -t source/lib/lz4.h 2>&1
    echo "exit $?"
    ./round big 2>&1 | tail -1
    ./round -c9 big 2>&1 | tail -1
}
real_compare ${READINGS:-O0 1,3 O2 2,1 O3 3,16}

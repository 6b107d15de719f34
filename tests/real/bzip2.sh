# bzip2, all of it converted, compresses to the same bytes and back.
# time: 200
# needs: apt-get nm
. "$TOP/tests/real/program"
real_fetch bzip2

build() {
    (cd source && $cc -D_FILE_OFFSET_BITS=64 -o ../prog blocksort.c \
        huffman.c crctable.c randtable.c compress.c decompress.c bzlib.c \
        bzip2.c)
}

exercise() {
    for n in 1 2 3; do
        cp source/sample$n.ref s$n
        ./prog -v -$n s$n
        echo "exit $?" && cksum <s$n.bz2 && cmp s$n.bz2 source/sample$n.bz2
        ./prog -d <s$n.bz2 | cmp - source/sample$n.ref
        ./prog -ds <source/sample$n.bz2 | cksum
    done
    ./prog -tvv source/sample*.bz2
    echo "exit $?"
    # Damaged, cut off, absent, already there; help and version.
    { head -c 5000 source/sample1.bz2 && echo no &&
        tail -c +5004 source/sample1.bz2; } >bad.bz2
    ./prog -t bad.bz2
    echo "exit $?"
    head -c 9000 source/sample1.bz2 | ./prog -dc | cksum
    ./prog missing
    echo "exit $?"
    cp source/sample3.ref s3 && ./prog s3
    echo "exit $?"
    ./prog --help && ./prog -V 2>&1 | head -3
    ./prog -c -9 --repetitive-best source/bzlib.c source/manual.ps | cksum
}
real_compare ${READINGS:-O0 1,3 O2 2,1}

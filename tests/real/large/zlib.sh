# zlib's own tests, all converted, pass and write the same bytes.
# time: 600
# needs: apt-get nm
. "$TOP/tests/real/program"
real_fetch zlib

# example.c and minigzip.c are one program here: the first argument says which.
build() {
    (cd source && for name in example minigzip infcover; do
        $cc -DHAVE_UNISTD_H -DHAVE_HIDDEN -I. -o ../$name test/$name.c adler32.c \
            compress.c crc32.c deflate.c gzclose.c gzlib.c gzread.c gzwrite.c \
            inf*.c trees.c uncompr.c zutil.c || exit
    done) && ln -s minigzip prog
}

exercise() {
    ./example gz.tmp
    echo "exit $?"
    ./infcover
    echo "exit $?"
    for level in 1 2 3 4 5 6 7 8 9 6\ -f 6\ -h 6\ -r; do
        cat source/*.c source/doc/*.txt | ./minigzip -$level >z.gz
        echo "exit $?" && cksum <z.gz
        ./minigzip -d <z.gz | cksum
    done
    cp source/ChangeLog . && ./minigzip ChangeLog && ./minigzip -d ChangeLog.gz
    echo "exit $?" && cksum <ChangeLog
    head -c 3000 z.gz | ./minigzip -d | cksum
}
real_compare ${READINGS:-O0 1,3 O0 2,16 O2 3,1 O2 4,7 Os 5,2}

# SQLite's shell, all of it converted, answers a script of many features.
# time: 2400
# needs: apt-get nm
. "$TOP/tests/real/program"
# Its archive has the sources in one file each; SQLite's own has not.
real_fetch fossil

build() {
    (cd source/extsrc && $cc -DSQLITE_THREADSAFE=0 -DSQLITE_ENABLE_FTS4 \
        -DSQLITE_ENABLE_RTREE -DSQLITE_OMIT_LOAD_EXTENSION \
        -o ../../prog shell.c sqlite3.c -lm)
}

exercise() {
    ./prog file.db <"$TOP/tests/real/large/everything.sql"
    echo "exit $?"
    ./prog file.db 'SELECT count(*) FROM t; PRAGMA integrity_check'
    ./prog -batch :memory: 'SELECT 1; SELECT bad'
    echo "exit $?"
    cksum <file.db
    ./prog file.db .dump | ./prog copy.db && ./prog copy.db .sha3sum
}
real_compare ${READINGS:-O0 1,3 O2 2,5 O1 3,1}

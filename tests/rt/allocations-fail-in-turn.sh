#!/bin/sh
# Whichever allocation fails, programs end right or tell of ENOMEM: none
# crashes, hangs or leaks. `make fail-alloc` is the long form.
# time: 600
[ -x $TOP/build/address/bin/fermata-cc ] || {
    echo "make SAN=address first" >&2; exit 77; }
out=$PWD/out.txt
cd $TOP/tests
# Those written for it are closely looked at: only what is made before main runs
# may end them.
{
    ../tools/fail-alloc -n 120 -d 7 */without-memory-*.c &&
        ../tools/fail-alloc -n 8 rt/[a-lw-z]*.c &&
        ../tools/fail-alloc -n 2 c/[aft]*.c
} >$out || { tail -40 $out >&2; exit 1; }

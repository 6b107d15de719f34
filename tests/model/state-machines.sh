#!/bin/sh
# In every order of a few threads' steps, waits, tasks, sources and tokens end
# once, nothing is lost, and nothing is touched after it is freed.
# time: 200
sh $TOP/tests/model/explorer/build $PWD/o || exit 1
o/explore 100000 >out.txt || { tail -3 out.txt >&2; exit 1; }
if grep -q '+' out.txt; then
    cat out.txt >&2
    exit 1
fi

# Each program of docs/guide.md compiles without a word and prints what it must.
# time: 120
awk '/^```c$/ { n++; open = 1; next } /^```$/ { open = 0 }
    open { print > ("p" n ".c") }' "$TOP/docs/guide.md"
for p in p1 p2 p3 p4 p5 p6 p7; do
    [ -f $p.c ] || { echo "the guide has no $p"; exit 1; }
    "$CC" -std=c17 -D_GNU_SOURCE -Wall -Wextra -O2 $p.c -o $p >log 2>&1 &&
        [ ! -s log ] || { echo "$p:"; cat log; exit 1; }
    ./$p >>got || { echo "$p fails"; exit 1; }
done
[ ! -f p8.c ] || { echo "a program that this test does not run"; exit 1; }
diff - got <<'END'
190
42
first: 0
0 1 4 1
caught: /dev/null is empty
as a value: 1
task: cleaned up
1
step two: cleaned up
1
5050
7998000
0
END

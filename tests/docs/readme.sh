# README's program is examples/hello.c and prints what README says.
# smoke
readme=$TOP/README.md
sed -n '/^```c$/,/^```$/p' "$readme" | sed '1d;$d' >in-readme.c
sed 1d "$TOP/examples/hello.c" | diff - in-readme.c || exit 1
sed -n '/^coffee/,/^```/p' "$readme" | sed '$d' >want
test "$(wc -l <want)" = 3 || exit 1
"$CC" -O2 in-readme.c -o hello && ./hello >got && diff want got

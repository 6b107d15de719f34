# examples/tree.c counts a folder of folders as wc does, with one worker, with
# several, and with the fewest threads for files.
$CC -O2 -o tree "$TOP/examples/tree.c" || exit 1
LC_ALL=C
export LC_ALL
(cd "$TOP/src" && find . -type f -print0 | wc --files0-from=- | tail -1) |
    awk '{ print $1 " lines, " $2 " words, " $3 " bytes" }' >want
for n in 1 2 4; do
    FERMATA_POOL=$n FERMATA_FILES=$n timeout 20 ./tree "$TOP/src" >got &&
        cmp got want || { cat got want; exit 1; }
done
mkdir -p empty/a/b && timeout 5 ./tree empty >got && head -1 got

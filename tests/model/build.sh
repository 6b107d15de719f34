# build.sh OUT [FOLDER]: the explorer over the runtime's code; files that lie
# in FOLDER are taken in the place of src/runtime's.
out=$1 other=$2 top=$(cd "$(dirname "$0")/../.." && pwd)
flags="-std=c17 -D_GNU_SOURCE -O1 -g -fexceptions -I$top/tests/model
    -I$top/src -I$top/include -Wno-unused-value"
mkdir -p "$out"
for name in task start arm cancel dispatch source token leaf local combine fault \
    explore ground scenarios; do
    file=$top/src/runtime/$name.c
    [ -f "$file" ] || file=$top/tests/model/$name.c
    if [ "$other" ] && [ -f "$other/$name.c" ]; then
        rm -f "$out/$name.o" && file=$other/$name.c
    fi
    if [ ! -f "$out/$name.o" ] || [ "$file" -nt "$out/$name.o" ]; then
        clang-19 $flags -c "$file" -o "$out/$name.o" || exit 1
    fi
done
clang-19 -o "$out/explore" "$out"/*.o

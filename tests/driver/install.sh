# An installed tree compiles and links wherever it stands; pkg-config knows it.
make -s -C "$TOP" install PREFIX="$PWD/p" >log 2>&1 || { cat log; exit 1; }
printf '#include <fermata.h>\nasync int f(void) { return 0; }\n' >t.c
cat >>t.c <<'E'
int main(void) { return FERMATA_VERSION_MAJOR; }
E
mv p moved
moved/bin/fermata-cc t.c -o t 2>log || { cat log; exit 1; }
./t || exit 1
moved/bin/fermata-cc -### t.c 2>&1 | grep -q "$PWD/moved/lib/fermata" || exit 1
mv moved p
# A page by each name that is in it.
[ -s p/share/man/man3/fm_join.3 ] && [ -s p/share/man/man1/fermata-cc.1 ] ||
    { echo "no manual pages"; exit 1; }
flags=$(PKG_CONFIG_PATH=p/lib/pkgconfig pkg-config --cflags --libs fermata)
echo "$flags" | grep -q -- "-fplugin=$PWD/p/lib/fermata-" || exit 1
eval "clang-19 t.c -o t2 $flags" 2>log || { cat log; exit 1; }
LD_LIBRARY_PATH=p/lib ./t2 || exit 1

# CMake, with clang and with fermata-cc as the compiler.
command -v cmake >/dev/null || exit 0
cat >CMakeLists.txt <<'E'
cmake_minimum_required(VERSION 3.18)
project(t C)
find_package(Fermata REQUIRED)
add_executable(t3 t.c)
target_link_libraries(t3 Fermata::fermata)
E
for compiler in clang-19 "$PWD/p/bin/fermata-cc"; do
    rm -rf b
    { cmake -S . -B b -DCMAKE_C_COMPILER="$compiler" \
        -DCMAKE_PREFIX_PATH="$PWD/p" && cmake --build b && b/t3; } >log 2>&1 ||
        { cat log; exit 1; }
done

# A missing clang or compiler half is said in a sentence that tells what to do.
# smoke
mkdir -p p/bin && cp "$(dirname "$CC")/fermata" p/bin/fermata-cc
p/bin/fermata-cc -c x.c 2>log && exit 1
grep -q 'the compiler half is not at .*/p/lib/fermata-.*: run make' log || exit 1
FERMATA_CLANG=/nowhere/clang p/bin/fermata-cc -c x.c 2>log && exit 1
ln -s fermata-cc p/bin/fermata
p/bin/fermata doctor >log && exit 1
grep -q '^MISSING  compiler half' log || exit 1
p/bin/fermata nonsense 2>log && exit 1
grep -q "no command 'nonsense'" log

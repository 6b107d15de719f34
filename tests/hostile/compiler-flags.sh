# Programs are right under flags that change code, checks or tables.
# time: 400
set -e
cd "$TOP/tests/hostile"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
programs="unusual-loops-and-switches temporaries-live-to-the-end-of-the-expression
    parameters-changed-and-addressed vectors-and-wide-arithmetic"
fail=0
while read -r flags; do
    case $flags in ''|'#'*) continue ;; esac
    for p in $programs; do
        if ! "$CC" $flags -w $p.c -o "$out/t" >"$out/log" 2>&1; then
            echo "$p does not compile with $flags"
            head -5 "$out/log"
            fail=1
        elif ! (cd "$out" && timeout 20 ./t >got 2>err) ||
                ! cmp -s $p.out "$out/got"; then
            echo "$p is wrong with $flags"
            head -5 "$out/err"
            fail=1
        fi
    done
done <<'E'
-O2 -g -fPIC
-O0 -g -fPIE -pie
-Og -g3
-O2 -static
-O2 -static-pie
-Oz
-O3 -funroll-loops
-O2 -march=x86-64-v3
-O0 -march=x86-64-v3
-O1 -fno-inline
-O2 -fno-optimize-sibling-calls
-O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
-O2 -fstack-protector-all
-O2 -D_FORTIFY_SOURCE=2
-O1 -finstrument-functions -DNO
-O2 -ftrapv
-O2 -fwrapv -fno-strict-aliasing
-O2 -fcf-protection=full
-O2 -ftrivial-auto-var-init=pattern
-O2 -fprofile-instr-generate -fcoverage-mapping
-O1 --coverage
-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections
-O2 -flto -fuse-ld=lld-19
-O2 -flto=thin -fuse-ld=lld-19
-O2 -flto=thin -ffat-lto-objects -fuse-ld=lld-19
-O1 -mcmodel=large
-O2 -fno-plt
-O2 -g -gsplit-dwarf
-O2 -pthread -ftls-model=initial-exec
-O2 -femulated-tls
-O2 -fsplit-machine-functions
-O2 -mllvm -enable-gvn-hoist
-O2 -std=c2x
-O2 -fsanitize=kcfi
-O2 -fpatchable-function-entry=4
E
exit $fail

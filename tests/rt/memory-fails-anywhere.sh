#!/bin/sh
# Whichever allocation fails, ENOMEM arrives as a fault and cleanups run.
cat >x.c <<'END'
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int opened, closed;
static void enter(void) { opened++; }
static void leave(int *p) { (void)p; closed++; }
#define SCOPE __attribute__((cleanup(leave))) int scope = (enter(), 0)
__attribute__((noinline)) static async int deep(int n)
{
    SCOPE;
    (void)scope;
    int buf[4] = {n, n, n, n};
    if (n)
        return await deep(n - 1) + buf[n & 3];
    fm_with_timeout(FM_S(10));
    await fm_yield();
    await fm_sleep(1000);
    return 0;
}
__attribute__((noinline)) static async int lends(int *out)
{
    SCOPE;
    await fm_yield();
    (void)scope;
    return *out = 1;
}
static async int all(void)
{
    SCOPE;
    (void)scope;
    int n = 0;
    FM_TASK(int) t = fm_start(deep(3)), u = fm_start(lends(&n));
    fm_fault *f;
    fm_try {
        await fm_all_of(t, u);
        n += await fm_any_of(t, u) ? 1 : 1;
    } fm_catch (f) {
        int code = fm_fault_code(f);
        fm_with_shield();
        fm_try { await fm_get(t); } fm_catch (f) { code = ENOMEM; }
        fm_try { await fm_get(u); } fm_catch (f) { code = ENOMEM; }
        fm_release(t);
        fm_release(u);
        fm_throw(code, "passed on");
    }
    n += await fm_join(t);
    return n + await fm_join(u);
}
/* After main has ended the rest too. */
__attribute__((destructor)) static void ended(void)
{
    if (opened != closed)
        printf("%d cleanups of %d\n", closed, opened), fflush(stdout),
            _exit(9);
}
async int main(void)
{
    fm_fault *f;
    for (int i = 0; i < 3; i++)
        fm_try {
            int n = await all();
            if (n != 9)
                return printf("wrong: %d\n", n), 9;
        } fm_catch (f) {
            if (fm_fault_code(f) != ENOMEM)
                return printf("fault %d\n", fm_fault_code(f)), 9;
        }
    return 0;
}
END
$CC -O0 x.c -o x || exit 1
FERMATA_FAIL_ALLOC=100000 timeout 5 ./x || exit 1
n=1 failed=0
while [ $n -lt 130 ]; do
    FERMATA_FAIL_ALLOC=$n timeout 5 ./x >o.txt 2>e.txt
    code=$?
    case $code in
    0) ;;
    1) grep -q 'ENOMEM' e.txt || { cat o.txt e.txt >&2; echo "$n: exit 1"; exit 1; } ;;
    134) grep -q 'of memory\|no event loop\|cannot have a loop' e.txt ||
        { cat o.txt e.txt >&2; echo "$n: exit $code"; exit 1; }
        failed=$((failed + 1)) ;;
    *) cat o.txt e.txt >&2; echo "$n: exit $code"; exit 1 ;;
    esac
    n=$((n + 1))
done
# Only what is made before main runs may end the program.
[ $failed -lt 8 ] || { echo "$failed of $n ended the program"; exit 1; }

#!/bin/sh
# In a check build, what a program must not do with waiters and handles ends
# it with a sentence.
# time: 60
CC=$TOP/build/check/bin/fermata-cc
[ -x $CC ] || { echo "make CHECK=1 first" >&2; exit 77; }
cat >x.c <<'END'
#include <fermata.h>
#include <fermata/io.h>
#include <stdlib.h>
static fm_waiter *kept;
static void arm(fm_waiter *w, void *arg) { (void)arg; kept = w; }
static void twice(fm_waiter *w, void *arg)
{
    (void)arg;
    fm_resume(w);
    fm_resume(w);
}
static bool disarm(fm_waiter *w, void *arg) { (void)w; (void)arg; return true; }
static async int waits(void) { await fm_suspend(arm, NULL); return 1; }
static async int again(void) { await waits(); return await waits(); }
static async bool until(void) { return await fm_suspend_until(arm, disarm, 0); }
static async int quick(long n) { await fm_yield(); return (int)n; }
static async void inside(void) { await fm_suspend(twice, NULL); }
static async int gets(FM_TASK(int) t) { return await fm_get(t); }
async int main(int argc, char **argv)
{
    FM_TASK(int) t, u;
    FM_TASK(bool) b;
    (void)argc;
    switch (atoi(argv[1])) {
    case 0: /* resumed twice, between two waits */
        t = fm_start(waits());
        fm_resume(kept);
        fm_resume(kept);
        break;
    case 1: /* inside arm */
        await inside();
        break;
    case 2: /* given up before */
        b = fm_start(until());
        fm_cancel(b);
        await fm_yield();
        fm_resume(kept);
        break;
    case 3: /* get after the last release */
        t = fm_start(quick(1000));
        await fm_get(t);
        fm_release(t);
        await fm_get(t);
        break;
    case 4: /* released twice */
        t = fm_start(quick(1000));
        await fm_get(t);
        fm_release(t);
        fm_release(t);
        break;
    case 5: /* joined twice */
        t = fm_start(quick(1000));
        await fm_join(t);
        await fm_join(t);
        break;
    case 6: /* cancelled after the last release */
        t = fm_start(quick(1000));
        await fm_join(t);
        fm_cancel(t);
        break;
    case 7: /* resumed on another thread's loop too */
        t = fm_start(again());
        fm_resume(kept);
        fm_resume(kept);
        fm_resume(kept);
        break;
    case 8: /* waited for after its release */
        t = fm_start(quick(1000));
        await fm_join(t);
        u = fm_start(gets(t));
        await fm_join(u);
        break;
    }
    return 0;
}
END
$CC -O1 x.c -o x || exit 1
n=0
for what in fm_resume fm_resume fm_resume fm_get fm_release fm_join fm_cancel \
    fm_resume fm_get; do
    timeout 10 ./x $n >out.txt 2>&1
    code=$?
    [ $code = 134 ] && grep -q "fermata: $what: " out.txt || {
        echo "$n: exit $code, not told: $what"; cat out.txt; exit 1; } >&2
    n=$((n + 1))
done

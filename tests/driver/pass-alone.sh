# Without the frontend check the pass itself refuses, at the place, all of a
# file in one run, and leaves no object.
cat >t.c <<'END'
#include <fermata.h>
async int leaf(int x);
int puts(const char *);
int plain(int x)
{
    fm_fault *f;
    int out;
    x = leaf(x);
    f = fm_attempt(&out, leaf(3));
    x += fm_within(1, leaf(4));
    FM_TASK(int) t = fm_start(puts("x"));
    if (x)
        fm_throw(3, "x");
    return x + (f != 0) + (t != 0) + ((int (*)(int))(void *)leaf)(2);
}
async int waits(FM_TASK(int) t)
{
    int out = fm_wait(leaf(1)), *p = &out;
    if (fm_attempt_wait(p, leaf(1)))
        return 1;
    return fm_wait_task(t) + fm_wait_task_for(t, 5);
}
async int right(int x) { return leaf(x) + 1; }
void drops(void) { fm_start(right(2)); }
END
cat >want <<'END'
8:9: error: 'leaf' is async, but this function is not: start it with fm_start or fm_detach, wait for it with fm_wait, or make this function async
9:9: error: fm_attempt awaits, but this function is not async: wait with fm_wait or fm_attempt_wait, or make this function async
10:10: error: fm_within awaits, but this function is not async: wait with fm_wait or fm_attempt_wait, or make this function async
11:22: error: 'puts' is not async: fm_start needs a call of an async function
14:38: error: 'leaf' is async and is called as an ordinary function through a cast: keep async in the type
18:15: error: fm_wait blocks the thread, and this function is async: await the call instead
19:9: error: fm_attempt_wait blocks the thread, and this function is async: await the call instead
21:12: error: fm_wait_task blocks the thread, and this function is async: use await fm_get
21:30: error: fm_wait_task blocks the thread, and this function is async: use await fm_get
13:9: error: fm_throw in an ordinary function: only an async function can end with a fault; return an error code, or make it async
24:20: warning: the started task's handle is dropped: use fm_detach
END
for level in "-O0 -g" -O2; do
    clang-19 -std=c17 -fexceptions -fno-discard-value-names \
        -Rpass='^$fermata' -fpass-plugin="$TOP/build/lib/fermata-19.so" \
        -I"$TOP/include" $level -c t.c -o t.o 2>log && exit 1
    grep -E '(error|warning): ' log | sed 's/^t.c://' >got
    diff want got || exit 1
    [ ! -f t.o ] || exit 1
done
clang-19 -std=c17 -I"$TOP/include" -c t.c 2>log && exit 1
grep -q -- -fexceptions log || { cat log; exit 1; }

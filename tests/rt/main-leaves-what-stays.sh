#!/bin/sh
# What does not end FERMATA_EXIT_MS after main is reported and left.
cat >x.c <<'END'
#include <fermata.h>
static void arm(fm_waiter *w, void *arg) { (void)w; (void)arg; }
static async void stays(void) { await fm_suspend(arm, NULL); }
async int main(void)
{
    FM_TASK(void) t = fm_start(stays());
    fm_task_name(t, "stubborn");
    fm_release(t);
    return 4;
}
END
$CC -O1 x.c -o x || exit 1
FERMATA_EXIT_MS=50 timeout 4 ./x 2>err
code=$?
[ $code = 4 ] && grep -q 'did not end' err && grep -q stubborn err &&
    grep -q 'stays.*x.c:3' err || { cat err; echo "exit $code"; exit 1; }

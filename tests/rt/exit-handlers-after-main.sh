#!/bin/sh
# After an async main's end its thread's exit handlers may wait for tasks of
# their own loop and for blocking calls; what they start on the pool, which has
# ended, is told of and does not hang.
cat >x.c <<'END'
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <stdlib.h>

static int which;
static int adds(int a) { return a + 1; }
static async int sleeps(int n) { await fm_sleep(FM_MS(1)); return n; }
static async int calls(int n) { return await fm_blocking(adds(n)); }
static async int starts(fm_executor *ex, int n)
{
    return await fm_join(fm_start_on(ex, sleeps(n)));
}
static void handler(void)
{
    if (which == 1)
        printf("%d\n", fm_wait(starts(fm_pool(), 1)));
    fm_executor *loop = fm_loop_new();
    printf("%d\n", fm_wait(sleeps(2)) + fm_wait(calls(3)) +
                       fm_wait(starts(loop, 4)));
    fm_executor_free(loop);
}
async int main(int argc, char **argv)
{
    which = argc > 1 && argv[1];
    atexit(handler);
    return await starts(fm_pool(), 3);
}
END
$CC -O1 x.c -o x || exit 1
timeout 10 ./x >out 2>err
code=$?
[ $code = 3 ] && [ "$(cat out)" = 10 ] && [ ! -s err ] ||
    { cat out err; echo "exit $code"; exit 1; }
timeout 10 ./x pool >out 2>err
code=$?
[ $code = 134 ] && grep -q 'main has ended, and the pool with it' err ||
    { cat out err; echo "exit $code"; exit 1; }

#!/bin/sh
# fm_wait inside an async function or on an executor's thread is an error.
cat >x.c <<'END'
#include <fermata.h>
#include <fermata/io.h>
#include <stdlib.h>
static async int one(void) { await fm_yield(); return 1; }
__attribute__((noinline)) static int plain(void) { return fm_wait(one()); }
static async int calls(void) { return plain(); }
static void callback(void *arg) { (void)arg; plain(); }
static async int posts(void)
{
    fm_cancel_source *s = fm_cancel_source_new();
    fm_token_on(fm_cancel_source_token(s), callback, NULL);
    fm_cancel_source_fire(s);
    await fm_sleep(FM_MS(10));
    return 0;
}
int main(int argc, char **argv)
{
    if (plain() != 1)
        return 9;
    return argc > 1 && atoi(argv[1]) ? fm_wait(calls()) : fm_wait(posts());
}
END
$CC -O1 x.c -o x || exit 1
timeout 5 ./x 1 2>err
[ $? = 134 ] && grep -q 'inside an async function' err ||
    { cat err; exit 1; }
timeout 5 ./x 0 2>err
[ $? = 134 ] && grep -q "executor's own thread" err || { cat err; exit 1; }

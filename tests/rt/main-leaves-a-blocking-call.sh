#!/bin/sh
# A blocking call and a computation that do not end FERMATA_EXIT_MS after main
# are reported and left; that time is not doubled.
cat >x.c <<'END'
#include <fermata.h>
#include <unistd.h>
static async void waits(void)
{
    await fm_blocking(sleep(100));
}
static async void computes(void)
{
    for (volatile int i = 0;; i++)
        continue;
}
async int main(void)
{
    FM_TASK(void) t = fm_start_on(fm_pool(), waits());
    FM_TASK(void) u = fm_start_on(fm_pool(), computes());
    fm_task_name(t, "stubborn");
    fm_task_name(u, "endless");
    fm_release(t);
    fm_release(u);
    for (int i = 0; i < 1000; i++)
        await fm_yield();
    await fm_blocking(usleep(20000));
    return 4;
}
END
$CC -O1 x.c -o x || exit 1
FERMATA_POOL=2 FERMATA_EXIT_MS=1500 timeout 2.8 ./x 2>err
code=$?
[ $code = 4 ] && grep -q 'did not end' err && grep -q stubborn err &&
    grep -q endless err ||
    { cat err; echo "exit $code"; exit 1; }

#!/bin/sh
# A main that nothing can wake is reported with its stack: exit 70.
cat >x.c <<'END'
#include <fermata.h>
static async int waits(FM_TASK(int) t)
{
    return await fm_get(t) + 1;
}
async int main(int argc, char **argv)
{
    FM_SOURCE(int) s = fm_source_new(int);
    if (argc > 1) {
        FM_TASK(int) t = fm_start_on(fm_loop_new(), waits(fm_source_task(s)));
        fm_task_name(t, "elsewhere");
        return await fm_join(t);
    }
    return await waits(fm_source_task(s)) + 1;
}
END
$CC -O0 x.c -o x || exit 1
timeout 5 ./x 2>err
code=$?
[ $code = 70 ] && grep -q deadlock err && grep -q 'waits.*x.c:4' err &&
    grep -q 'main.*x.c:14' err || { cat err; echo "exit $code"; exit 1; }
timeout 5 ./x elsewhere 2>err # on a loop that is idle too
code=$?
[ $code = 70 ] && grep -q 'main.*x.c:12' err && grep -q 'elsewhere' err &&
    grep -q 'waits.*x.c:4' err && grep -q 'nobody completes' err ||
    { cat err; echo "exit $code"; exit 1; }
FERMATA_DEADLOCK=warn timeout 1 ./x 2>err
[ $? = 124 ] && grep -q deadlock err || { echo "warn"; cat err; exit 1; }
FERMATA_DEADLOCK=off timeout 1 ./x 2>err
[ $? = 124 ] && [ ! -s err ] || { echo "off"; cat err; exit 1; }

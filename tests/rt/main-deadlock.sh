#!/bin/sh
# A main that nothing can wake is reported with its stack: exit 70.
cat >x.c <<'END'
#include <fermata.h>
static async int waits(FM_TASK(int) t)
{
    return await fm_get(t) + 1;
}
async int main(void)
{
    FM_SOURCE(int) s = fm_source_new(int);
    return await waits(fm_source_task(s)) + 1;
}
END
$CC -O0 x.c -o x || exit 1
timeout 5 ./x 2>err
code=$?
[ $code = 70 ] && grep -q deadlock err && grep -q 'waits.*x.c:4' err &&
    grep -q 'main.*x.c:9' err || { cat err; echo "exit $code"; exit 1; }
FERMATA_DEADLOCK=warn timeout 1 ./x 2>err
[ $? = 124 ] && grep -q deadlock err || { echo "warn"; cat err; exit 1; }
FERMATA_DEADLOCK=off timeout 1 ./x 2>err
[ $? = 124 ] && [ ! -s err ] || { echo "off"; cat err; exit 1; }

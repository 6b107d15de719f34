#!/bin/sh
# A main that waits for a task of the pool that nothing can wake is reported,
# with the pool's threads there; while a call blocks it is not.
cat >x.c <<'END'
#include <fermata.h>
#include <unistd.h>
static async int waits(FM_TASK(int) t)
{
    return await fm_get(t) + 1;
}
async int main(int argc, char **argv)
{
    FM_SOURCE(int) s = fm_source_new(int);
    if (argc > 1) {
        await fm_blocking(usleep(700000));
        return 5;
    }
    FM_TASK(int) t = fm_start_on(fm_pool(), waits(fm_source_task(s)));
    fm_task_name(t, "on the pool");
    return await fm_join(t);
}
END
$CC -O0 x.c -o x || exit 1
timeout 10 ./x 2>err
code=$?
[ $code = 70 ] && grep -q deadlock err && grep -q 'waits.*x.c:5' err &&
    grep -q 'on the pool' err || { cat err; echo "exit $code"; exit 1; }
timeout 10 ./x blocks 2>err
code=$?
[ $code = 5 ] && [ ! -s err ] || { cat err; echo "exit $code"; exit 1; }

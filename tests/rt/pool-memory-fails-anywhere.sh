#!/bin/sh
# Whatever allocation fails, tasks on the pool and blocking calls end, with a
# result or with ENOMEM; only what a program cannot begin without ends it, with
# a sentence.
# time: 120
cat >x.c <<'END'
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <unistd.h>
static async int leaf(int n)
{
    await fm_sleep(FM_US(n % 5));
    return n;
}
static async int timed(FM_TASK(int) t)
{
    fm_with_timeout(FM_S(5));
    return await fm_get(t);
}
static async int middle(int n)
{
    FM_TASK(int) t = fm_start_on(fm_pool(), leaf(n));
    FM_DEFER fm_release(t);
    return await timed(t) + await fm_blocking(getppid()) * 0;
}
async int main(void)
{
    int ended = 0, good = 0;
    for (int i = 0; i < 30; i++) {
        int k;
        fm_fault *f = NULL;
        fm_try {
            FM_TASK(int) t = fm_start_on(fm_pool(), middle(i));
            f = await fm_attempt(&k, fm_join(t));
        } fm_catch (f) {
        }
        ended++;
        good += !f;
        if (f && fm_fault_code(f) != ENOMEM)
            return 3;
    }
    return ended == 30 && good > 20 ? 0 : 4;
}
END
$CC -O1 x.c -o x || exit 1
export FERMATA_POOL=2
for n in 1 2 3 5 8 9 10 11 12 13 14 15 16 17 18 19 20 22 25 28 30 33 36 40 44 \
    48 53 58 64 71 79 88; do
    FERMATA_FAIL_ALLOC=$n timeout 10 ./x 2>err
    code=$?
    [ $code = 0 ] && continue
    [ $code = 134 ] && grep -Eq 'fermata: .*(memory|loop)' err && continue
    echo "allocation $n: exit $code"
    cat err
    exit 1
done
for n in 30 60 90; do # and all from there on: nothing hangs
    FERMATA_FAIL_ALLOC=$n+ timeout 10 ./x 2>err
    code=$?
    [ $code = 0 ] || [ $code = 4 ] && continue
    echo "allocation $n and all others: exit $code"
    cat err
    exit 1
done
exit 0

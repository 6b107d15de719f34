#!/bin/sh
# A task whose thread has ended is told of when it is woken, and at main's end:
# nothing hangs. One that its thread waited for is fine.
cat >x.c <<'END'
#include <fermata.h>
#include <pthread.h>
#include <stdio.h>
static FM_TASK(int) source, waiting;
static async int waits(void)
{
    return await fm_get(source);
}
static async int ends(void)
{
    await fm_yield();
    return 1;
}
static void *leaves(void *arg)
{
    waiting = fm_start(waits());
    fm_detach(ends());
    fm_run_until_idle();
    return arg;
}
async int main(void)
{
    FM_SOURCE(int) s = fm_source_new(int);
    pthread_t t;
    source = fm_source_task(s);
    pthread_create(&t, NULL, leaves, NULL);
    pthread_join(t, NULL);
    fm_source_set(s, 4);
    for (int i = 0; i < 20; i++)
        await fm_yield();
    printf("%d\n", fm_status(waiting) == FM_RUNNING);
    return 0;
}
END
$CC -O1 x.c -o x || exit 1
FERMATA_EXIT_MS=100 timeout 5 ./x >out 2>err
code=$?
[ $code = 0 ] && [ "$(cat out)" = 1 ] && grep -q 'whose thread has ended' err &&
    grep -q 'did not end' err || { cat out err; echo "exit $code"; exit 1; }

#!/bin/sh
# A task whose thread has ended is told of when it is woken, and at main's end:
# nothing hangs, and a main that waits for it is a deadlock. One that its
# thread waited for is fine.
cat >x.c <<'END'
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>
#include <stdio.h>
static FM_TASK(int) source, waiting;
static async int waits(void)
{
    return await fm_get(source);
}
static async int sleeps(void)
{
    await fm_sleep(FM_S(100));
    return 1;
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
static void *leaves_a_sleep(void *arg)
{
    waiting = fm_start(sleeps());
    return arg;
}
async int waits_for_the_left(void)
{
    pthread_t t;
    pthread_create(&t, NULL, leaves_a_sleep, NULL);
    pthread_join(t, NULL);
    fm_cancel(waiting); /* nobody is there to run it */
    return await fm_join(waiting);
}
async int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return await waits_for_the_left();
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
timeout 5 ./x left >out 2>err
code=$?
[ $code = 70 ] && grep -q 'deadlock: nothing can wake main' err &&
    grep -q 'at sleeps (' err || { cat out err; echo "exit $code"; exit 1; }

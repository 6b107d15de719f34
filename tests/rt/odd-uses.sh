#!/bin/sh
# Odd uses of tasks, sources, waits and executors end right or with a
# sentence, never otherwise; in a check build too.
# time: 120
cat >x.c <<'END'
#include <fermata.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <pthread.h>
#include <sys/wait.h>
static fm_waiter *kept;
static async int quick(long n) { await fm_yield(); return (int)n; }
static async int forever(void) { await fm_sleep(FM_FOREVER); return 1; }
static void arm_starts(fm_waiter *w, void *arg)
{
    FM_TASK(int) *t = arg;
    *t = fm_start(quick(7));
    fm_resume(w);
}
static void arm_waits(fm_waiter *w, void *arg)
{
    (void)arg;
    printf("%d\n", fm_wait(quick(3)));
    fm_resume(w);
}
static async int starts_in_arm(void)
{
    FM_TASK(int) t;
    await fm_suspend(arm_starts, &t);
    return await fm_join(t);
}
static void cb(void *arg) { (void)arg; printf("cb %d\n", fm_wait(quick(3))); }
static FM_SOURCE(int) src;
static void *setter(void *arg) { long n = 0; for (int i = 0; i < 1000; i++) n += fm_source_set(src, (int)(long)arg); return (void *)n; }
static FM_TASK(int) shared;
static void *canceller(void *arg) { for (int i = 0; i < 20000; i++) fm_cancel(shared); return arg; }
static async int storm(void)
{
    int n = 0;
    for (int i = 0; i < 2000; i++) {
        fm_with_shield();
        await fm_yield(); n++;
    }
    return n;
}
static void *thread_with_tasks(void *arg)
{
    fm_release(fm_start(forever()));
    fm_release(fm_start(quick(1)));
    return arg;
}
static async void exits(void) { await fm_yield(); exit(5); }
static async void closes_at_once(fm_group *g) { await fm_group_close(g); }
static async void closes_later(fm_group *g) { await fm_yield(); await fm_group_close(g); }
async int main(int argc, char **argv)
{
    FM_TASK(int) t; int n = 0; fm_fault *f; (void)argc;
    switch (atoi(argv[1])) {
    case 0: printf("%d\n", await starts_in_arm()); return 0;
    case 1: await fm_suspend(arm_waits, NULL); return 0;          /* wait in arm */
    case 2: { fm_cancel_source *s = fm_cancel_source_new();
        fm_token_reg *r = fm_token_on(fm_cancel_source_token(s), cb, NULL);
        fm_cancel_source_fire(s); await fm_yield(); await fm_yield(); fm_token_off(r); fm_cancel_source_release(s); return 0; }
    case 3: { pthread_t th[4]; void *r; long sum = 0; src = fm_source_new(int); shared = fm_source_task(src);
        for (long i = 0; i < 4; i++) pthread_create(&th[i], 0, setter, (void *)(i + 1));
        n = await fm_join(shared);
        for (int i = 0; i < 4; i++) { pthread_join(th[i], &r); sum += (long)r; }
        fm_source_release(src); printf("%d %ld\n", n > 0 && n < 5, sum); return 0; }
    case 4: { pthread_t th[2]; shared = fm_start(storm());
        for (int i = 0; i < 2; i++) pthread_create(&th[i], 0, canceller, NULL);
        f = await fm_attempt(&n, fm_get(shared));
        for (int i = 0; i < 2; i++) pthread_join(th[i], NULL);
        printf("%d %d\n", f ? fm_fault_code(f) : 0, n); fm_release(shared); return 0; }
    case 5: { pthread_t th; for (int i = 0; i < 20; i++) { pthread_create(&th, 0, thread_with_tasks, NULL); pthread_join(th, NULL); } printf("threads\n"); return 0; }
    case 6: fm_detach(exits()); await fm_sleep(FM_S(5)); return 0;
    case 7: { pid_t p = fork(); if (!p) { fm_atfork_child(); await fm_sleep(1000); _exit(await quick(9)); }
        int st; waitpid(p, &st, 0); printf("%d\n", WEXITSTATUS(st)); return 0; }
    case 8: t = fm_start(forever()); fm_cancel(t); fm_cancel(t); f = await fm_attempt(&n, fm_get(t)); printf("%d\n", fm_fault_code(f));
        f = await fm_attempt(&n, fm_join(t)); printf("%d\n", fm_fault_code(f)); return 0;
    case 9: t = NULL; fm_release(t); fm_cancel(t); fm_retain(t); printf("null ok\n"); printf("%d\n", (int)await fm_get(t)); return 0;
    case 10: { FM_VALUE(int) v = fm_value(quick(4)); printf("%d\n", await fm_take(&v)); f = await fm_attempt(&n, fm_take(&v)); printf("%s\n", fm_fault_message(f)); return 0; }
    case 11: fm_run_until_idle(); return 0;
    case 12: { fm_executor *e = fm_loop_new(); await fm_switch(e); fm_executor_free(e); return 0; }
    case 13: fm_executor_free(fm_loop()); return 0;
    case 14: fm_executor_free(fm_pool()); return 0;
    case 15: fm_resume(NULL); return 0;
    case 16: { fm_fault *e = fm_fault_new(3, "x"); src = fm_source_new(int); t = fm_source_task(src); fm_source_fail(src, e); fm_fault_release(e); fm_source_release(src); fm_release(t); return 0; }
    case 17: { fm_executor *e = fm_loop_new(); fm_executor_free(e); fm_executor_free(e); return 0; }
    case 19: t = fm_start_on(NULL, quick(2)); f = await fm_attempt(&n, fm_join(t)); printf("%s\n", fm_fault_message(f)); return 0;
    case 20: { FM_GROUP(g); fm_group_start(&g, closes_at_once(&g)); return 0; }
    case 21: { FM_GROUP(g); fm_group_start(&g, closes_later(&g)); await fm_group_close(&g); return 0; }
    case 18: { fm_executor *e = fm_loop_new(); fm_executor_free(e); t = fm_start_on(e, quick(2)); printf("%d\n", await fm_join(t)); return 0; }
    }
    return 99;
}
END
expect() { # expect N CODE TEXT: TEXT is among what it says
    timeout 20 ./x $1 >out.txt 2>&1
    code=$?
    [ $code = $2 ] && { [ ! "$3" ] || grep -qF "$3" out.txt; } && return
    echo "$cc, use $1: exit $code, not $2, or not said: $3" >&2
    cat out.txt >&2
    exit 1
}
for cc in $CC $TOP/build/check/bin/fermata-cc; do
    [ -x $cc ] || { echo "make CHECK=1 first" >&2; exit 77; }
    $cc -O1 -w x.c -o x || exit 1
    expect 0 0 7
    expect 1 134 'fm_wait inside an async function'
    expect 2 134 "fm_wait on an executor's own thread"
    expect 3 0 '1 1'
    expect 4 0 '0 2000'
    expect 6 5 ''
    expect 7 0 9
    expect 8 0 125
    expect 10 0 'taken already'
    expect 11 134 'fm_run_until_idle was called by a task'
    expect 12 134 'cannot be freed on its own thread'
    expect 13 134 "a thread's own loop ends with its thread"
    expect 14 134 'the pool lasts'
    expect 16 0 'nobody observed: fault 3'
    expect 17 134 'freed before'
    expect 18 134 'whose executor is freed'
    expect 19 0 'fm_start_on: of no executor'
    expect 20 134 'closed while this call'
    expect 21 134 'another task is closing'
done
expect 9 134 'fm_get: of no task'
expect 15 134 'fm_resume: of no task'

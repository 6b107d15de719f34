/* A dump while tasks run on several threads stops nobody, and all of them
 * end; what it shows of one that waits is its name, its wait, its stack. */
// threads
// not: alloc
// time: 60
#include <fermata.h>
#include <fermata/io.h>
#include <fermata/trace.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_int stop;

async int
leaf(int n)
{
    if (n % 3 == 0)
        await fm_yield();
    else if (n % 3 == 1)
        await fm_sleep(FM_US(n % 50));
    return n;
}

async int
branch(int n)
{
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        FM_TASK(int) t = fm_start_on(fm_pool(), leaf(n + i));
        if (i % 4 == 0)
            fm_cancel(t);
        int out = 0;
        fm_fault *f = await fm_attempt(&out, fm_join(t));
        sum += f ? 0 : 1;
    }
    return sum;
}

async long
work(void)
{
    long sum = 0;
    for (int i = 0; i < 60; i++)
        sum += await branch(i);
    return sum;
}

async void
waits(FM_TASK(int) t)
{
    await fm_get(t);
}

async long
dump_often(char **last)
{
    long n = 0;
    size_t bytes;
    while (!atomic_load(&stop)) {
        free(*last);
        FILE *f = open_memstream(last, &bytes);
        fm_dump(f);
        fclose(f);
        struct fm_stats s;
        fm_stats(&s);
        n += s.workers > 0;
        await fm_yield();
    }
    return n;
}

__attribute__((constructor)) static void
size_of_pool(void)
{
    setenv("FERMATA_POOL", "3", 0);
}

async int
main(void)
{
    FM_TASK(long) t[4];
    char *text = NULL;
    FM_SOURCE(int) s = fm_source_new(int);
    FM_TASK(int) never = fm_source_task(s);
    FM_TASK(void) w = fm_start_on(fm_pool(), waits(never));

    fm_task_name(w, "the one who waits");
    for (int i = 0; i < 4; i++)
        t[i] = fm_start_on(fm_pool(), work());
    FM_TASK(long) d = fm_start(dump_often(&text));
    for (int i = 0; i < 4; i++)
        await fm_join(t[i]);
    atomic_store(&stop, 1);
    printf("%d\n", await fm_join(d) > 0);
    char *at = strstr(text, "the one who waits\" on the pool waits for task");
    printf("%d %d\n", at != NULL,
           at && strstr(at, "at waits (") && strstr(text, "is a source"));
    fm_source_set(s, 1);
    await fm_join(w);
    fm_release(never);
    fm_source_release(s);
    free(text);
    return 0;
}

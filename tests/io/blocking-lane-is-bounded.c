/* Calls beyond the lane's threads queue; one that is cancelled there never
 * runs, one that runs is waited for; idle threads end. */
// threads
#include <dirent.h>
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int door[2];
static atomic_int inside, most, ran;

static void
enter(void)
{
    int n = atomic_fetch_add(&inside, 1) + 1, m = atomic_load(&most);
    while (n > m && !atomic_compare_exchange_weak(&most, &m, n))
        continue;
}

static long
wait_at_door(void)
{
    char c;
    enter();
    long n = read(door[0], &c, 1);
    atomic_fetch_sub(&inside, 1);
    atomic_fetch_add(&ran, 1);
    return n;
}

static int
threads(void)
{
    DIR *d = opendir("/proc/self/task");
    char path[300], name[16];
    int n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
        FILE *f = fopen(path, "r");
        n += f && fgets(name, sizeof name, f) && !strcmp(name, "fermata-calls\n");
        if (f)
            fclose(f);
    }
    closedir(d);
    return n;
}

async long
waiter(void)
{
    return await fm_blocking(wait_at_door());
}

__attribute__((constructor)) static void
set_up(void)
{
    setenv("FERMATA_BLOCKING", "2", 1);
    setenv("FERMATA_IDLE_MS", "50", 1);
}

async int
main(void)
{
    FM_TASK(long) t[5];
    int cancelled = 0;
    long sum = 0;

    if (pipe(door))
        return 1;
    for (int i = 0; i < 5; i++)
        t[i] = fm_start(waiter());
    while (atomic_load(&inside) < 2)
        await fm_sleep(FM_MS(1));
    fm_cancel(t[3]); /* queued */
    fm_cancel(t[0]); /* runs */
    fm_fault *f = await fm_attempt(NULL, fm_all_of(t[3]));
    cancelled += f && fm_fault_code(f) == ECANCELED;
    printf("queued: %d cancelled, %d ran, running: %d\n", cancelled, ran,
           fm_status(t[0]) == FM_RUNNING);
    if (write(door[1], "abcd", 4) != 4)
        return 1;
    for (int i = 0; i < 5; i++)
        if (i != 3)
            sum += await fm_get(t[i]);
    printf("sum %ld, %d ran, %d at once\n", sum, ran, most);
    for (int i = 0; i < 200 && threads(); i++)
        await fm_sleep(FM_MS(20));
    printf("threads left: %d\n", threads());
    for (int i = 0; i < 5; i++)
        fm_release(t[i]);
    return 0;
}

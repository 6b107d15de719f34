/* sleeps_fermata.c: s13 in Fermata: many tasks sleep, each for its own time
 * of at most a second. Prints the processor time of all, and how late the
 * latest one was; a task that wakes early is an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <fermata.h>
#include <fermata/io.h>

static int64_t latest;

static async void
sleeper(int64_t ns)
{
    int64_t due = fm_now() + ns, late;

    await fm_sleep(ns);
    late = fm_now() - due;
    if (late < 0)
        exit(1);
    if (late > latest)
        latest = late;
}

static async void
sleepers(int n)
{
    FM_TASK(void) *tasks = malloc((size_t)n * sizeof *tasks);

    for (int i = 0; i < n; i++) {
        tasks[i] = fm_start(sleeper(FM_MS(1 + (int64_t)i * 7919 % 1000)));
        await fm_checkpoint(); /* or the first ones wait for the last start */
    }
    for (int i = 0; i < n; i++)
        await fm_join(tasks[i]);
    free(tasks);
}

int
main(int argc, char **argv)
{
    struct rusage use;

    fm_wait(sleepers(argc > 1 ? atoi(argv[1]) : 100000));
    getrusage(RUSAGE_SELF, &use);
    printf("sample %.4g\nlate %.4g\n",
           (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e3 +
               (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e3,
           (double)latest / 1e6);
    return 0;
}

// 100,000 sleeps at once: none ends early, each ends, and they wake the
// thread about once a millisecond, not each for itself.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
// time: 60

enum { TASKS = 100000 };
static int early, ended;

async void nap(int64_t ns)
{
    int64_t until = fm_now() + ns;
    await fm_sleep(ns);
    early += fm_now() < until;
    ended++;
}

int
main(void)
{
    struct rusage before, after;
    unsigned seed = 1;
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < TASKS; i++) {
        seed = seed * 1103515245 + 12345;
        fm_detach(nap((int64_t)(seed >> 8) % FM_S(1)));
    }
    fm_run_until_idle();
    getrusage(RUSAGE_SELF, &after);
    long wakes = after.ru_nvcsw - before.ru_nvcsw;
    printf("%d early, %d ended, %s\n", early, ended,
           wakes < 3000 ? "few wakes" : "many wakes");
    return 0;
}

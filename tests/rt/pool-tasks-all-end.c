/* Tasks on the pool that sleep, yield, wait for one another, are cancelled and
 * set by others all end, whatever the order. */
// threads
// time: 60
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 25, TASKS = 40 };
static atomic_long done, cancelled, timed;

static unsigned
next(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

async int
leaf(unsigned seed)
{
    switch (next(&seed) % 5) {
    case 0:
        await fm_yield();
        break;
    case 1:
        await fm_sleep(FM_US(next(&seed) % 300));
        break;
    case 2:
        await fm_switch(fm_pool());
        break;
    }
    atomic_fetch_add(&done, 1);
    return 1;
}

async int
tree(unsigned seed, int depth)
{
    int n = 1;
    if (!depth)
        return await leaf(seed);
    FM_TASK(int) a = fm_start_on(fm_pool(), tree(next(&seed), depth - 1));
    FM_TASK(int) b = next(&seed) % 2
                         ? fm_start(tree(next(&seed), depth - 1))
                         : fm_start_on(fm_pool(), tree(next(&seed), depth - 1));
    if (next(&seed) % 3 == 0)
        await fm_yield();
    n += await fm_join(a);
    n += await fm_join(b);
    return n;
}

async void
forever(FM_SOURCE(int) s)
{
    FM_TASK(int) t = fm_source_task(s);
    FM_DEFER fm_release(t);
    await fm_get(t);
}

async void
wait_and_be_cancelled(unsigned seed)
{
    FM_SOURCE(int) s = fm_source_new(int);
    FM_TASK(void) t = fm_start_on(fm_pool(), forever(s));
    fm_fault *f;
    if (next(&seed) % 2)
        await fm_yield();
    if (next(&seed) % 3)
        fm_cancel(t);
    else
        fm_source_set(s, 1);
    f = await fm_attempt(NULL, fm_join(t));
    if (f)
        atomic_fetch_add(&cancelled, 1);
    fm_source_release(s);
}

async int
timeouts(unsigned seed)
{
    int out;
    FM_TASK(int) t = fm_start_on(fm_pool(), tree(next(&seed), 2));
    fm_fault *f;
    {
        fm_with_timeout(FM_US(next(&seed) % 400));
        f = await fm_attempt(&out, fm_get(t));
    }
    if (f)
        atomic_fetch_add(&timed, 1);
    return await fm_join(t);
}

async int
one(unsigned seed, fm_executor *home)
{
    int n = 0;
    for (int i = 0; i < 4; i++)
        switch (next(&seed) % 6) {
        case 0:
            n += await tree(next(&seed), 3);
            break;
        case 1:
            await wait_and_be_cancelled(next(&seed));
            break;
        case 2:
            n += await timeouts(next(&seed));
            break;
        case 3:
            await fm_switch(home);
            await fm_yield();
            await fm_switch(fm_pool());
            break;
        case 4:
            await fm_sleep(FM_US(next(&seed) % 100));
            break;
        case 5:
            n += await fm_within(FM_S(60), tree(next(&seed), 1));
            break;
        }
    return n;
}

/* Several workers, however many cores there are. */
__attribute__((constructor)) static void
size_of_pool(void)
{
    setenv("FERMATA_POOL", "3", 0);
}

async int
main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 7;
    FM_TASK(int) t[TASKS];
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < TASKS; i++)
            t[i] = fm_start_on(fm_pool(), one(next(&seed), fm_loop()));
        for (int i = 0; i < TASKS; i++)
            await fm_join(t[i]);
    }
    printf("all ended\n");
    return 0;
}

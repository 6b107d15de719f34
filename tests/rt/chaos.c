// Whatever tasks on several loops do to one another, each cleanup runs once.
// threads
// time: 60
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>
#include <stdatomic.h>

enum { LOOPS = 3, KIDS = 4, ROUNDS = 300 };
static fm_executor *loops[LOOPS];
static atomic_int opened, closed;
static fm_local key = {"key"};

static unsigned
next(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}
static void
leave(int *p)
{
    (void)p;
    closed++;
}
static async void leave_slowly(int *p)
{
    await fm_yield();
    leave(p);
}
static void
unseen(fm_task *t, fm_fault *f)
{
    (void)t;
    OK(fm_fault_code(f));
}
static async long chaos(unsigned seed, int depth);

static async long
family(unsigned *seed, int depth)
{
    FM_TASK(long) kids[KIDS];
    fm_fault *f;
    long sum = 0;
    for (int i = 0; i < KIDS; i++) {
        unsigned s = next(seed), how = next(seed) % 4;
        kids[i] = how ? fm_start(chaos(s, depth - 1))
                      : fm_start_on(loops[s % LOOPS], chaos(s, depth - 1));
    }
    fm_try {
        switch (next(seed) % 4) {
        case 0: await fm_all(kids, KIDS); break;
        case 1: sum += (long)await fm_any(kids, KIDS); break;
        case 2: fm_cancel(kids[next(seed) % KIDS]); break;
        case 3: await fm_within(FM_US(50), fm_all(kids, KIDS)); break;
        }
    } fm_catch (f) {
        sum--;
    }
    if (next(seed) % 3 == 0)
        for (int i = 0; i < KIDS; i++)
            fm_cancel(kids[i]);
    for (int i = 0; i < KIDS; i++) {
        if (next(seed) % 8 == 0) {
            fm_release(kids[i]); /* left alone */
            continue;
        }
        long n = 0;
        f = await fm_attempt(&n, fm_join(kids[i]));
        sum += f ? fm_fault_code(f) : n;
    }
    return sum;
}
static async long
step(unsigned *seed, int depth)
{
    __attribute__((cleanup(leave))) int scope = ++opened;
    fm_with_local(&key, (long)scope);
    long n = 1;
    switch (next(seed) % 9) {
    case 0: await fm_yield(); break;
    case 1: await fm_sleep(next(seed) % 30000); break;
    case 2: if (depth) n = await family(seed, depth); break;
    case 3: fm_throw(FM_CODE_USER + 1, "thrown %d", depth);
    case 4: await fm_switch(loops[next(seed) % LOOPS]); break;
    case 5: {
        fm_with_timeout(next(seed) % 20000);
        await fm_sleep(FM_US(15));
        break;
    }
    case 6: {
        fm_with_shield();
        await fm_yield();
        break;
    }
    case 7: {
        FM_SOURCE(int) s = fm_source_new(int);
        FM_AUTO FM_TASK(int) t = fm_source_task(s);
        if (next(seed) % 2)
            fm_source_set(s, 3);
        fm_source_release(s);
        n = await fm_get(t);
        break;
    }
    }
    OK(fm_local_get(&key) == (void *)(long)scope);
    return n;
}
static async long
chaos(unsigned seed, int depth)
{
    __attribute__((cleanup(leave_slowly))) int scope = ++opened;
    fm_executor *here = fm_executor_self();
    fm_fault *f;
    long sum = scope & 0;
    for (int i = next(&seed) % 5; i >= 0; i--) {
        fm_try {
            sum += await step(&seed, depth);
        } fm_catch (f) {
            if (next(&seed) % 3 == 0)
                fm_rethrow(f);
        }
        OK(fm_executor_self() == here);
        OK(fm_local_get(&key) == NULL || depth < 3);
    }
    return sum;
}
async int
main(int argc, char **argv)
{
    unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
    long n = 0;
    fm_on_unobserved(unseen);
    for (int i = 0; i < LOOPS; i++)
        loops[i] = i ? fm_loop_new() : fm_executor_self();
    for (int i = 0; i < ROUNDS; i++)
        await fm_attempt(&n, chaos(next(&seed), 3));
    for (int i = 0; i < 2000 && opened != closed; i++)
        await fm_sleep(FM_MS(1)); /* those that were left alone */
    if (opened != closed)
        fprintf(stderr, "%d opened, %d closed\n", opened, closed);
    OK(opened == closed);
    for (int i = 1; i < LOOPS; i++)
        fm_executor_free(loops[i]);
    return 0;
}

// A wake inside arm, just after it, from another thread, or beside a
// cancellation or a deadline: each wait ends once, and rightly.
// threads
// time: 60
#include "ok.h"
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 1500, TASKS = 4, HELPERS = 2 };
enum how { INSIDE, AT_ONCE, SOON, NEVER };
struct op {
    _Atomic(fm_waiter *) waiter;
    atomic_int decided; /* 1 = completed, 2 = given up */
    enum how how;
    int armed;
    unsigned delay;
};
static _Atomic(struct op *) mail[HELPERS];
static atomic_bool stop;

static void
complete(struct op *op)
{
    int nobody = 0;
    fm_waiter *w = op->waiter;
    if (atomic_compare_exchange_strong(&op->decided, &nobody, 1))
        fm_resume(w);
}
/* Spins, so that its wakes come within a few instructions of the arming. */
static void *
helper(void *arg)
{
    _Atomic(struct op *) *box = arg;
    while (!stop) {
        struct op *op = atomic_exchange(box, NULL);
        if (!op) {
            sched_yield();
            continue;
        }
        for (volatile unsigned n = op->delay; n; n--)
            ;
        complete(op);
    }
    return NULL;
}
static void
arm(fm_waiter *w, void *arg)
{
    struct op *op = arg;
    op->armed++;
    op->waiter = w;
    if (op->how == INSIDE) {
        complete(op);
    } else if (op->how != NEVER) {
        struct op *none = NULL;
        if (!atomic_compare_exchange_strong(&mail[op->delay % HELPERS], &none,
                                            op))
            complete(op);
    }
}
static bool
disarm(fm_waiter *w, void *arg)
{
    struct op *op = arg;
    int nobody = 0;
    OK(op->waiter == w);
    return atomic_compare_exchange_strong(&op->decided, &nobody, 2);
}
static unsigned
next(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}
static async int
one(struct op *op, unsigned how)
{
    bool done;
    if (how & 1) {
        fm_with_timeout(op->how == NEVER ? FM_US(50) : FM_US(how % 64));
        done = await fm_suspend_until(arm, disarm, op);
    } else {
        done = await fm_suspend_until(arm, disarm, op);
    }
    OK(op->armed <= 1);
    OK(done == (op->decided == 1) || !op->armed);
    return done;
}
static struct op ops[TASKS][ROUNDS]; /* helpers may look at one late */
static async int
rounds(int me, bool moves)
{
    unsigned seed = (unsigned)me * 7919 + 1;
    int done = 0;
    for (int i = 0; i < ROUNDS; i++) {
        struct op *op = &ops[me][i];
        unsigned how = next(&seed);
        op->how = next(&seed) % 4;
        op->delay = next(&seed) % 200;
        if (op->how == NEVER)
            how |= 1; /* its deadline ends it, or the cancellation */
        FM_TASK(int) t =
            moves ? fm_start_on(fm_pool(), one(op, how)) : fm_start(one(op, how));
        if (how & 2)
            fm_cancel(t);
        done += await fm_join(t);
    }
    return done;
}
async int
main(void)
{
    pthread_t threads[HELPERS];
    FM_TASK(int) t[TASKS];
    int done = 0;
    for (int i = 0; i < HELPERS; i++)
        pthread_create(&threads[i], NULL, helper, &mail[i]);
    for (int i = 0; i < TASKS; i++)
        t[i] = fm_start(rounds(i, i % 2));
    for (int i = 0; i < TASKS; i++)
        done += await fm_join(t[i]);
    stop = true;
    for (int i = 0; i < HELPERS; i++)
        pthread_join(threads[i], NULL);
    OK(done > TASKS * ROUNDS / 8 && done < TASKS * ROUNDS);
    return 0;
}

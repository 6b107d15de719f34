/* waits.c: what suspends, in Fermata: s2 a gate, s3 a yield, s4 recursion
 * that succeeds or fails, s5 yields again and again.
 */
#include "waits.h"
#include "async.h"

#include <errno.h>

static fm_waiter *door;

static void
door_arm(fm_waiter *waiter, void *arg)
{
    *(fm_waiter **)arg = waiter;
}

static void
door_open(void)
{
    fm_waiter *w = door;
    door = NULL;
    fm_resume(w);
}

static NOINLINE async int
gate_leaf(int v)
{
    await fm_suspend(door_arm, &door);
    return v + 1000;
}

static NOINLINE async int
gate_middle(int v)
{
    return await gate_leaf(v) + 1;
}

static NOINLINE async int
gate_outer(int v)
{
    return await gate_middle(v) + 1;
}

static async uint64_t
gate_loop(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)await gate_outer(input(i));
    return sum;
}

uint64_t
waits_gate(uint64_t n)
{
    FM_TASK(uint64_t) t = fm_start(gate_loop(n));
    while (fm_status(t) == FM_RUNNING)
        door_open();
    uint64_t sum = fm_wait_task(t);
    fm_release(t);
    return sum;
}

uint64_t
waits_gate_root(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        FM_TASK(int) t = fm_start(gate_outer(input(i)));
        door_open();
        sum += (uint64_t)fm_wait_task(t);
        fm_release(t);
    }
    return sum;
}

static NOINLINE async int
yield_inner(int v)
{
    await fm_yield();
    return v;
}

static NOINLINE async int
yield_outer(int v)
{
    return await yield_inner(v) + 1;
}

static async uint64_t
yield_loop(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)await yield_outer(input(i));
    return sum;
}

uint64_t
waits_yield(uint64_t n)
{
    return fm_wait(yield_loop(n));
}

uint64_t
waits_yield_root(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)fm_wait(yield_outer(input(i)));
    return sum;
}

static NOINLINE async int
deep(int levels, int v, bool fail)
{
    if (levels > 1)
        return 1 - await deep(levels - 1, v, fail); /* stays recursion */
    await fm_yield();
    if (fail)
        fm_throw(EIO, "the leaf fails");
    return v;
}

static async uint64_t
ok_loop(uint64_t n, int levels)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += (uint64_t)await deep(levels, input(i), false);
    return sum;
}

static async uint64_t
fail_loop(uint64_t n, int levels)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        int r = 0;
        fm_fault *f = await fm_attempt(&r, deep(levels, input(i), true));
        sum += f && fm_fault_code(f) == EIO;
    }
    return sum;
}

uint64_t
waits_ok_1(uint64_t n)
{
    return fm_wait(ok_loop(n, 1));
}

uint64_t
waits_ok(uint64_t n)
{
    return fm_wait(ok_loop(n, DEPTH));
}

uint64_t
waits_fail_1(uint64_t n)
{
    return fm_wait(fail_loop(n, 1));
}

uint64_t
waits_fail(uint64_t n)
{
    return fm_wait(fail_loop(n, DEPTH));
}

static NOINLINE async uint64_t
spin(uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        await fm_yield();
    return n;
}

static NOINLINE async uint64_t
spin_below(uint64_t n, int levels)
{
    if (levels > 1)
        return 1 - await spin_below(n, levels - 1);
    return await spin(n);
}

uint64_t
waits_spin_one(uint64_t n)
{
    return fm_wait(spin(n));
}

uint64_t
waits_spin_two(uint64_t n)
{
    FM_TASK(uint64_t) a = fm_start(spin(n / 2));
    FM_TASK(uint64_t) b = fm_start(spin(n - n / 2));
    uint64_t sum = fm_wait_task(a) + fm_wait_task(b);
    fm_release(a);
    fm_release(b);
    return sum;
}

uint64_t
waits_spin_deep(uint64_t n)
{
    return fm_wait(spin_below(n, DEPTH));
}

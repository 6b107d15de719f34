// An ordinary function that starts a task and returns it has ended by then,
// its cleanups too; who awaits the task stays where it was.
// id: X12, X19, F12, T08, T09
// not: alloc
#include "hop.h"

static int locked, locked_while_waiting;

static void
unlock(int *held)
{
    locked -= *held;
}

static async int
slow(int n, bool wait)
{
    locked_while_waiting += locked;
    if (wait)
        AWAY();
    return n;
}

static FM_TASK(int)
forward(int n, bool wait)
{
    __attribute__((cleanup(unlock))) int held = 1;
    locked += held;
    locked = locked == 1 ? 1 : 100;
    return fm_start(slow(n, wait));
}

__attribute__((always_inline)) static inline FM_TASK(int)
forward_inlined(int n, bool wait)
{
    return forward(n, wait);
}

static FM_TASK(int)
forward_as_a_jump(int n, bool wait)
{
    __attribute__((musttail)) return forward_inlined(n, wait);
}

static async int
two_levels(fm_executor *ex, bool wait)
{
    int right = 0;
    await fm_switch(ex);
    right += await fm_join(forward_inlined(40, wait)) + 2 == 42;
    right += fm_executor_self() == ex;
    right += await fm_join(forward_as_a_jump(1, wait));
    return right + (fm_executor_self() == ex);
}

async int
main(void)
{
    fm_executor *own = fm_executor_self(), *other = fm_loop_new();
    for (int i = 0; i < 4; i++) {
        int right = await two_levels(i & 1 ? other : own, i & 2);
        printf("%d %d\n", right, fm_executor_self() == own);
    }
    /* Its body is still inside when the task begins, and has left it by the
     * time that the task waits. */
    printf("%d inside, %d now\n", locked_while_waiting, locked);
    fm_executor_free(other);
    return 0;
}

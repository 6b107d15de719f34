// A caller goes on on its own executor, whatever its callee switched to.
// id: X06, X08, X10, X13, X16
// threads
#include "hop.h"

static fm_executor *first, *second;

__attribute__((noinline)) static async int
goes(fm_executor *ex, bool wait)
{
    await fm_switch(ex);
    if (wait)
        await fm_yield();
    return fm_executor_self() == ex;
}

static async int
middle(bool wait)
{
    int right;
    await fm_switch(first);
    right = await goes(second, wait);
    right += fm_executor_self() == first;
    AWAY();
    return right + (fm_executor_self() == first);
}

static async int
inlined(bool wait)
{
    int right = await middle(wait);
    await fm_switch(second);
    return right + (fm_executor_self() == second);
}

async int
main(void)
{
    fm_executor *own = fm_executor_self();
    first = fm_loop_new();
    second = fm_loop_new();
    for (int i = 0; i < 4; i++) {
        int right = await goes(i & 2 ? first : own, i & 1);
        printf("%d %d\n", right, fm_executor_self() == own);
        right = await inlined(i & 1);
        printf("%d %d\n", right, fm_executor_self() == own);
    }
    fm_executor_free(first);
    fm_executor_free(second);
    return 0;
}

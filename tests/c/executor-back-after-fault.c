// A fault, too, reaches its handler on the handler's executor.
// id: X10
// threads
#include "hop.h"

static fm_executor *other;

static async void
fails(bool wait)
{
    await fm_switch(other);
    if (wait)
        AWAY();
    fm_throw(FM_CODE_USER, "there %d", fm_executor_self() == other);
}

static async void
between(bool wait)
{
    await fails(wait);
}

async int
main(void)
{
    fm_executor *own = fm_executor_self();
    fm_fault *f;
    other = fm_loop_new();
    for (int i = 0; i < 4; i++) {
        fm_try {
            if (i & 2)
                await between(i & 1);
            else
                await fails(i & 1);
        } fm_catch (f) {
            printf("%s %d\n", fm_fault_message(f),
                   fm_executor_self() == own);
        }
    }
    fm_executor_free(other);
    return 0;
}

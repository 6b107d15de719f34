// A group ends its tasks by whatever way its block is left: break, continue,
// goto, return, a fault in a try, a cancellation; nested ones inner first.
#include "../rt/ok.h"
#include <fermata/io.h>
#include <fermata/sync.h>

static int running;

static void left(int *one)
{
    running -= *one;
}

async void work(void)
{
    __attribute__((cleanup(left))) int one = 1;
    running++;
    FM_DEFER await fm_yield(); /* ends later than it is asked to */
    await fm_sleep(FM_FOREVER);
}

async int leaves(int how)
{
    fm_fault *f;
    for (int i = 0; i < 3; i++) {
        OK(running == 0);
        FM_GROUP(outer);
        fm_group_start(&outer, work());
        {
            FM_GROUP(inner);
            fm_group_start(&inner, work());
            fm_group_start(&inner, work());
            OK(running == 3);
            if (how == 0)
                break;
            if (how == 1)
                continue;
            if (how == 2)
                goto out;
            if (how == 3)
                return 3;
            fm_try {
                FM_GROUP(innermost);
                fm_group_start(&innermost, work());
                if (how == 4)
                    fm_throw(FM_CODE_USER, "out of a try");
                if (how == 5)
                    await fm_sleep(FM_FOREVER);
            } fm_catch (f) {
                OK(how == 5 || running == 3); /* all under one deadline */
                if (how == 5)
                    fm_rethrow(f);
            }
            OK(running == 3);
        }
        OK(running == 1);
    }
out:
    OK(running == 0);
    return how;
}

async int main(void)
{
    for (int how = 0; how < 7; how++) {
        int n = -1;
        fm_with_timeout(how == 5 ? FM_MS(10) : FM_FOREVER);
        fm_fault *f = await fm_attempt(&n, leaves(how));
        OK(running == 0);
        OK(how == 5 ? f && fm_fault_code(f) == ETIMEDOUT : n == how);
    }
    return 0;
}

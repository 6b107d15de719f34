// A fault of a started task comes out at every get, and at join.
#include <fermata.h>
#include <stdio.h>

static async int
fails(bool wait)
{
    if (wait)
        await fm_yield();
    fm_throw(FM_CODE_USER + 3, "three");
}

async int
main(void)
{
    fm_fault *f;
    for (int wait = 0; wait < 2; wait++) {
        FM_TASK(int) t = fm_start(fails(wait));
        for (int i = 0; i < 2; i++) {
            fm_try {
                await fm_get(t);
                printf("not reached\n");
            } fm_catch (f) {
                printf("%s %d\n", fm_fault_message(f),
                       fm_status(t) == FM_FAULTED);
            }
        }
        fm_try {
            await fm_join(t);
        } fm_catch (f) {
            printf("%d\n", fm_fault_code(f) - FM_CODE_USER);
        }
    }
    return 0;
}

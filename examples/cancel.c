/* cancel.c: a task is asked to stop, and cleans up first. */
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>

async void sweep(const char *who)
{
    await fm_sleep(FM_MS(20)); /* cleaning up may wait, undisturbed */
    printf("%s: swept up\n", who);
}

async void work(const char *who)
{
    FM_DEFER await sweep(who);
    for (int step = 1;; step++) {
        await fm_sleep(FM_MS(100));
        printf("%s: step %d\n", who, step);
    }
}

async int main(void)
{
    fm_fault *f;
    FM_TASK(void) anna = fm_start(work("anna"));

    await fm_sleep(FM_MS(250));
    printf("that will do\n");
    fm_cancel(anna);
    fm_try {
        await fm_join(anna);
    }
    fm_catch (f) {
        printf("anna ended: %s\n", fm_fault_message(f));
    }
    fm_try {
        await fm_within(FM_MS(150), work("bert"));
    }
    fm_catch (f) {
        printf("bert ended: %s\n", fm_fault_message(f));
    }
    return 0;
}

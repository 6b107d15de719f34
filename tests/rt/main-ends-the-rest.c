// At main's end running tasks are cancelled and waited for, cleanups included.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>

static async void
waits(void)
{
    FM_DEFER {
        await fm_sleep(FM_MS(10));
        printf("cleaned\n");
    }
    await fm_sleep(FM_S(100));
}
static async void
stays(void)
{
    fm_with_shield();
    await fm_sleep(FM_MS(50));
    printf("shielded\n");
}
async int
main(void)
{
    fm_detach(waits());
    fm_detach(waits());
    fm_detach(stays());
    fm_source_release(fm_source_new(int));
    printf("main ends\n");
    return 3;
}

// fm_within cancels its call when the time is over and raises ETIMEDOUT when
// that has ended; a call that is done sooner leaves no deadline behind.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>

static void left(int *ended) { printf("ended %d\n", *ended); }
static async int slow(void)
{
    __attribute__((cleanup(left))) int ended = 1;

    await fm_sleep(FM_S(30));
    return 1;
}

async int main(void)
{
    int v = 7;
    fm_fault *f;

    for (int i = 0; i < 2; i++) {
        fm_try {
            v = await fm_within(FM_MS(2), slow());
        } fm_catch (f) {
            printf("%d %d\n", v, fm_fault_code(f) == ETIMEDOUT);
        }
    }
    await fm_within(FM_S(30), fm_sleep(FM_MS(1)));
    await fm_within(FM_S(1), fm_sleep(0));
    await fm_sleep(FM_MS(3));
    return 0;
}

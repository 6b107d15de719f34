// An await that is given the address of a variable with an async cleanup is no
// cleanup: a cancellation interrupts it.
// smoke
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>

struct thing {
    int closed;
};

static async void
thing_close(struct thing *t)
{
    await fm_yield(); /* not interrupted */
    printf("closed %d\n", ++t->closed);
}
static async void
thing_wait(struct thing *t)
{
    (void)t;
    await fm_sleep(FM_S(1000));
}
#define THING(t) __attribute__((cleanup(thing_close))) struct thing t = {0}

static async void
uses(bool again)
{
    THING(a);
    if (again) {
        THING(b);
        await thing_wait(&b);
    }
    await thing_wait(&a);
}
async int
main(void)
{
    fm_fault *f;

    for (int i = 0; i < 2; i++) {
        FM_TASK(void) t = fm_start(uses(i));
        fm_cancel(t);
        fm_try {
            await fm_join(t);
        } fm_catch (f) {
            puts("cancelled");
        }
    }
    return 0;
}

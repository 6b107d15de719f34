// A fault that leaves a cleanup while another is under way is its cause.
#include <fermata.h>
#include <stdio.h>

static async void
end(int *p)
{
    await fm_yield();
    if (*p)
        fm_throw(FM_CODE_USER + *p, "cleanup %d", *p);
}

static async void
run(int throw, int clean)
{
    __attribute__((cleanup(end))) int g = clean;
    await fm_yield();
    if (throw)
        fm_throw(FM_CODE_USER + throw, "body %d", throw);
}

async int
main(void)
{
    fm_fault *f;
    for (int i = 0; i < 4; i++) {
        fm_try {
            await run(i & 1, i & 2);
            printf("nothing\n");
        } fm_catch (f) {
            fm_fault *c = fm_fault_cause(f);
            printf("%s <- %s\n", fm_fault_message(f),
                   c ? fm_fault_message(c) : "none");
        }
    }
    return 0;
}

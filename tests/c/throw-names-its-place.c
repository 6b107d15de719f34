// A thrown fault names the function and line that threw it.
#include <fermata.h>
#include <stdio.h>

static async int fails(int wait)
{
    if (wait) await fm_yield();
    fm_throw(7, "at %d", wait);
}
async int main(void)
{
    fm_fault *f;
    for (int wait = 0; wait < 2; wait++)
        fm_try { await fails(wait); } fm_catch (f) {
            struct fm_place at = fm_fault_place(f);
            printf("%s %u %d\n", at.function, at.line,
                   at.file && *at.file);
        }
    f = fm_fault_new(8, "made");
    printf("%s\n", fm_fault_place(f).function);
    fm_fault_release(f);
    return 0;
}

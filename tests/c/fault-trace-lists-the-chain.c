// A fault's trace names the functions it passed, innermost first.
// id: F13
// flags: -fno-inline
#include <fermata.h>
#include <stdio.h>

static async int
thrower(bool wait)
{
    if (wait)
        await fm_yield();
    fm_throw(FM_CODE_USER, "here");
}
static async int level1(bool wait) { return await thrower(wait) + 1; }
static async int level2(bool wait) { return await level1(wait) + 1; }
static async int level3(bool wait) { return await level2(wait) + 1; }

async int
main(void)
{
    struct fm_place place[8];
    fm_fault *f;
    for (int i = 0; i < 2; i++) {
        fm_try {
            await level3(i);
        } fm_catch (f) {
            size_t n = fm_fault_trace(f, place, 8);
            for (size_t k = 0; k < n && k < 8; k++)
                printf("%s ", place[k].function);
            printf("\n");
        }
    }
    return 0;
}

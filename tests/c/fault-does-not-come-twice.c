// A fault at one await is not seen again at the next.
// id: F04
#include <fermata.h>
#include <stdio.h>

static async int
maybe(int i)
{
    await fm_yield();
    if (i & 1)
        fm_throw(FM_CODE_USER + i, "odd %d", i);
    return i;
}

static async int
alternate(int n)
{
    int sum = 0;
    fm_fault *f;
    for (int i = 0; i < n; i++) {
        fm_try {
            sum += await maybe(i);
            await fm_yield();
        } fm_catch (f) {
            sum += 1000 * (fm_fault_code(f) - FM_CODE_USER);
            await fm_yield();
        }
    }
    return sum;
}

async int
main(void)
{
    printf("%d\n", await alternate(10));
    return 0;
}

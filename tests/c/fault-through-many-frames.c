// A fault through 10,000 suspended frames runs each one's cleanup in order.
#include <fermata.h>
#include <stdio.h>

static long ran, wrong;
static async long down(long n)
{
    FM_DEFER {
        wrong += ran++ != n;
    }
    if (n == 0) {
        await fm_yield();
        fm_throw(5, "bottom");
    }
    return await down(n - 1) + 1;
}
async int main(void)
{
    fm_fault *f;
    fm_try { await down(10000); } fm_catch (f) {
        printf("%s: %ld ran, %ld out of order\n", fm_fault_message(f), ran,
               wrong);
    }
    return 0;
}

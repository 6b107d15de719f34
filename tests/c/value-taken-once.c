// The second fm_take of a value raises EINVAL; the first gave the result.
#include <errno.h>
#include <fermata.h>
#include <stdio.h>

static async int plus(int x, int wait)
{
    if (wait) await fm_yield();
    return x + 1;
}

async int main(void)
{
    for (int wait = 0; wait < 2; wait++) {
        FM_VALUE(int) v = fm_value(plus(3, wait));
        int a = await fm_take(&v), b = 0;
        fm_fault *f = await fm_attempt(&b, fm_take(&v));

        printf("%d %d %d\n", a, b, f && fm_fault_code(f) == EINVAL);
    }
    return 0;
}

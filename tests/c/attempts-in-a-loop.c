// Each attempt's fault is its own; what an earlier one held is given back.
#include <fermata.h>
#include <stdio.h>

static int w;
static async int plus(int x)
{
    if (w) await fm_yield();
    return x + 1;
}
static async int fails(int x)
{
    if (w) await fm_yield();
    fm_throw(100 + x, "fails %d", x);
}
static async int attempts(fm_fault **kept)
{
    int sum = 0, v = 0;

    for (int i = 0; i < 10; i++) {
        fm_fault *f = await fm_attempt(&v, fails(i));

        sum += fm_fault_code(f);
        if (i == 5)
            *kept = fm_fault_retain(f);
        f = await fm_attempt(&v, plus(i));
        sum += f ? 1000 : v;
    }
    return sum;
}

async int main(void)
{
    for (w = 0; w < 2; w++) {
        fm_fault *kept;

        printf("%d", await attempts(&kept));
        printf(" %s\n", fm_fault_message(kept));
        fm_fault_release(kept);
    }
    return 0;
}

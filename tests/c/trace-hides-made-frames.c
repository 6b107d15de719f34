// A fault's trace names the user's functions only, not what a start is made
// of, at every level.
#include <fermata.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline))
static NOINLINE async int inner(int x)
{
    await fm_yield();
    fm_throw(x, "inner");
}
static NOINLINE async int outer(int x) { return await inner(x) + 1; }

async int main(void)
{
    FM_TASK(int) t[] = {fm_start(outer(5)),
                        fm_start_on(fm_executor_self(), outer(6))};

    for (int i = 0; i < 2; i++) {
        struct fm_place place[10];
        int v;
        fm_fault *f = await fm_attempt(&v, fm_join(t[i]));
        size_t n = fm_fault_trace(f, place, 10);

        for (size_t k = 0; k < n; k++)
            printf("%s:%u ", place[k].function, place[k].line);
        printf("%d\n", fm_fault_code(f));
    }
    return 0;
}

// A fault out of a cleanup is the fault, or the cause of one under way.
#include <fermata.h>
#include <stdio.h>

static int wait;
static async int step(int v)
{
    if (wait) await fm_yield();
    if (v < 0) fm_throw(-v, "step %d", -v);
    return v;
}
static async void fails(const int *v) { await step(*v); }
static async int work(int inner, int outer, int deferred)
{
    __attribute__((cleanup(fails))) int a = outer;
    FM_DEFER { printf(" deferred"); await step(deferred); }
    FM_DEFER printf(" first");
    return await step(inner);
}
static void tell(fm_fault *f)
{
    for (; f; f = fm_fault_cause(f))
        printf(" %d:%s", fm_fault_code(f), fm_fault_message(f));
}
async int main(void)
{
    fm_fault *f;
    for (int k = 0; k < 16; k++) {
        wait = k & 1;
        fm_try {
            int r = await work(k & 2 ? -1 : 1, k & 4 ? -2 : 2,
                               k & 8 ? -3 : 3);
            printf(" = %d\n", r);
        } fm_catch (f) {
            tell(f);
            printf("\n");
        }
    }
    return 0;
}

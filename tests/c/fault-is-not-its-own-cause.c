// A fault rethrown while it is under way does not become its own cause.
// not: alloc
#include <fermata.h>
#include <stdio.h>

static async void tell_of(int which)
{
    fm_fault *f;
    fm_try {
        FM_DEFER { await fm_yield(); fm_throw(2, "two"); }
        fm_throw(1, "one");
    } fm_catch (f) {
        FM_DEFER fm_rethrow(f);
        await fm_yield();
        fm_rethrow(which ? fm_fault_cause(f) : f);
    }
}
async int main(void)
{
    for (int which = 0; which < 2; which++) {
        fm_fault *f;
        fm_try { await tell_of(which); } fm_catch (f) {
            for (; f; f = fm_fault_cause(f))
                printf(" %d", fm_fault_code(f));
            printf("\n");
        }
    }
    return 0;
}

// A start or an attempt of a function that never returns is refused: clang
// drops what it would give.
#include <fermata.h>
_Noreturn async void never(int x);
async int tries(void)
{
    fm_fault *f = await fm_attempt(NULL, never(3));
    return fm_fault_code(f);
}
async void starts(void)
{
    FM_TASK(void) t = fm_start(never(4));
    await fm_join(t);
}
async void within(void)
{
    await fm_within(FM_S(1), never(5));
}

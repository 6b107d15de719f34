// Where a handle is wanted its address is none.
#include <fermata.h>
static async int f(void)
{
    return 1;
}
async int main(void)
{
    FM_AUTO FM_TASK(int) t = fm_start(f());
    FM_SOURCE(void) s = fm_source_new(void);

    fm_cancel(&t);
    fm_release(&t);
    fm_source_release(&s);
    return fm_status(&t) + await fm_all(&t, 1);
}

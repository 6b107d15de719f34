// fm_send and fm_select cannot be started on another executor.
#include <fermata/sync.h>

void f(fm_executor *ex, FM_CHANNEL(int) c, FM_CHANNEL(int) d, int *n)
{
    fm_release(fm_start_on(ex, fm_send(c, 1)));
    fm_release(fm_start_on(ex, fm_select(0, FM_SEND(d, 3))));
    fm_release(fm_start_on(ex, fm_receive(c, n)));
    fm_release(fm_start(fm_send(c, 1)));
}

// FM_GROUP in an ordinary function is refused.
#include <fermata/sync.h>

void f(void)
{
    FM_GROUP(g);
}

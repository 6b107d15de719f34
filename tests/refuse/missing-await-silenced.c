// -Wno-fermata-await silences the warning about a missing await, -w does too.
// flags: -Wno-fermata-await -Werror
#include <fermata.h>
async int one(void);
async int calls(void)
{
    return one();
}

// -Werror makes a missing await an error.
// flags: -Werror
#include <fermata.h>
async int one(void);
async int calls(void)
{
    return one();
}

// A call of an async function without a prototype is refused.
#include <fermata.h>
async int old();
async int calls(int x)
{
    return await old() + x;
}

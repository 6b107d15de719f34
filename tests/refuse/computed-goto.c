// Computed goto in an async function is refused; in an ordinary one it is not.
#include <fermata.h>
async int leaf(int x);
async int jumps(int x)
{
    static const void *const to[] = {&&a, &&b};
    goto *to[x];
a:
    return await leaf(1);
b:
    goto *to[await leaf(2)];
}
int plain(int x)
{
    static const void *const to[] = {&&a, &&b};
    goto *to[x];
a:
    return 1;
b:
    return 2;
}

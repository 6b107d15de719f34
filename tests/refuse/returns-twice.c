// setjmp in an async function is refused; in an ordinary one it is not.
#include <setjmp.h>
#include <fermata.h>
async int leaf(int x);
jmp_buf buffer;
async int twice(int x)
{
    if (setjmp(buffer))
        return 1;
    return await leaf(x);
}
int plain(void)
{
    return setjmp(buffer);
}

// What clang itself infers about an async function draws no warning.
// flags: -Wall -Wextra -Werror -O2
#include <fermata.h>
async int leaf(int x)
{
    return x;
}
async int calls(int x)
{
    return await leaf(x);
}
async int main(void)
{
    return await calls(0);
}

#include "corner.h"
static async int
f(int n)
{
    int i = 0, s = 0;
    {
    again:;
        int local = await val(i);
        {
            int arr[3] = {local, await val(local + 1), 3};
            s += arr[0] * arr[1];
            if (i++ < n)
                goto again;
        }
        s += local;
    }
    if (s > 100)
        goto end;
back:
    s += await val(7);
    if (s < 50)
        goto back;
end:
    return s;
}
static async int
g(int n)
{
    __label__ a, b;
    int r = 0;
    goto b;
a:
    r += await val(10);
    if (r > 30)
        return r;
b:
    r += await val(n);
    goto a;
}
async int
main(void)
{
    printf("%d %d %d %d\n", await f(0), await f(3), await f(9), await g(4));
    return 0;
}

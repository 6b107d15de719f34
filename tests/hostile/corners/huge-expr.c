#include "corner.h"
#define R4(x) x + x + x + x
#define R64(x) R4((R4((R4((x))))))
static int n;
static async int
nx(void)
{
    SUSPEND();
    return n++ & 3;
}
async int
main(void)
{
    int s = R64(await nx());
    int a[16] = {R4(await nx()), R4(await nx()), [7] = R4(await nx())};
    s += a[0] * 100 + a[1] * 10 + a[7];
    printf("%d %d\n", s,
           (R4(await nx())) << (await nx()) |
               ((await nx()) ^ (R4(await nx()))));
    return 0;
}

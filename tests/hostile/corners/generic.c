#include "corner.h"
#define KIND(x) _Generic((x), int: 1, long: 2, double: 3, char *: 4, default: 5)
async int
main(void)
{
    int k = KIND(await val(1)) * 1000 + KIND(await lval(1)) * 100 +
            KIND(await dval(1)) * 10;
    int m = _Generic(await val(3), int: await val(7), default: await lval(9));
    int n = _Generic(&val, default: await val(2));
    __typeof__(await val(1)) q = await val(5);
    printf("%d %d %d %d %zu\n", k, m, n, q, sizeof(await lval(3)));
    return 0;
}

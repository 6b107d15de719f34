#include "corner.h"
static async int
sum(int n, int m, int a[n][m])
{
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < await val(m); j++)
            s += a[i][j];
    return s + (int)sizeof(a[0]);
}
static async int
sz(int n, char (*p)[n])
{
    int k = await val(n);
    return (int)sizeof *p + k;
}
async int
main(void)
{
    int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
    char c[7];
    printf("%d %d\n", await sum(await val(2), await val(3), a),
           await sz(7, &c));
    for (int n = 1; n < 5; n++) {
        int v[await val(n)][n + 1];
        memset(v, 0, sizeof v);
        v[n - 1][n] = await val(n * 3);
        int(*q)[n + 1] = v;
        printf("%d %zu %d\n", q[n - 1][n], sizeof v, await val((int)sizeof *q));
    }
    return 0;
}

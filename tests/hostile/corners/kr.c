#include "corner.h"
static async int
old(a, b, c)
int a;
char b;
double c;
{
    a += await val(b);
    return a + (int)c;
}
static async int noproto();
static async int
noproto()
{
    return await val(4);
}
async int tent(int);
int tentv;
int tentv;
int tentv = 3;
static int st;
async int
tent(int x)
{
    static int n;
    return st = tentv + n++ + await val(x);
}
async int
main()
{
    printf("%d %d %d %d %d\n", await old(1, 'a', 2.5), await noproto(),
           await tent(1), await tent(2), st);
    return 0;
}

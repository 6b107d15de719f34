#include "corner.h"
static _Thread_local int tl = 3;
static _Thread_local struct {
    int a[4];
    char *p;
} ts;
extern _Thread_local int ext;
_Thread_local int ext = 8;
static async int
f(int i)
{
    static _Thread_local int calls;
    int *p = &tl;
    *p += await val(i);
    ts.a[await val(i % 4)] += ++calls;
    ts.p = (char *)&ts.a[1];
    return tl + ext++ + ts.a[i % 4];
}
async int
main(void)
{
    int s = 0;
    for (int i = 0; i < 9; i++)
        s += await f(i);
    printf("%d %d %d %d\n", s, tl, ext, ts.p == (char *)&ts.a[1]);
    return 0;
}

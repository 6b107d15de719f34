#include "corner.h"
static async void
bump(int *p, int by)
{
    *p += await val(by);
}
static async int
f(int a, char b, struct { int x; } * dummy, int arr[static 2])
{
    (void)dummy;
    int *pa = &a;
    char *pb = &b;
    await bump(pa, 3);
    *pb = (char)(*pb + await val(1));
    a = await val(a) + arr[1];
    arr[0] = a;
    return *pa + *pb;
}
async int
main(void)
{
    int arr[2] = {1, 2};
    int x = 5;
    int *px = &x, **ppx = &px;
    await bump(*ppx, 10);
    printf("%d %d %d\n", await f(1, 'a', NULL, arr), arr[0], x);
    return 0;
}

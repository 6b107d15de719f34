// A cleanup in a scope in which nothing else can end is shielded as well.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>

static async void slow(const int *v)
{
    await fm_sleep(FM_MS(3));
    printf(" cleaned%d", *v);
}
static async void nothing_else(int n)
{
    __attribute__((cleanup(slow))) int x = n;
    x++;
}
static async void explicit_call(int n)
{
    int x = n;
    await slow(&x);
}
async int main(void)
{
    fm_fault *f;
    for (int k = 0; k < 2; k++)
        fm_try {
            fm_with_timeout(FM_MS(1));
            await nothing_else(k);
            printf(" done");
            await explicit_call(k);
            printf(" not reached\n");
        } fm_catch (f) {
            printf(" out of time\n");
        }
    return 0;
}

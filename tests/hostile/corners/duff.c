#include "corner.h"
static async void
copy(char *to, const char *from, int n)
{
    int k = (n + 7) / 8;
    switch (n % 8) {
    case 0:
        do {
            *to++ = (char)await val(*from++);
        case 7:
            *to++ = *from++;
        case 6:
            *to++ = (char)await val(*from++);
        case 5:
            *to++ = *from++;
        case 4:
            *to++ = (char)await val(*from++);
        case 3:
            *to++ = *from++;
        case 2:
            *to++ = (char)await val(*from++);
        case 1:
            *to++ = *from++;
        } while (await val(--k) > 0);
    }
}
async int
main(void)
{
    for (int n = 1; n < 20; n += 3) {
        char b[32] = {0};
        await copy(b, "abcdefghijklmnopqrstuvwxyz", n);
        puts(b);
    }
    return 0;
}

#include "corner.h"
static async int
sw(long x)
{
    switch (await lval(x)) {
    case -5 ... - 1:
        return await val(-1);
    case 0:
    case 1:
        x = 3;
    case 100000000000: {
        int y = await val(2);
        switch (y + (int)x % 7) {
        case 5:
            return 50;
        default:
            if (await val(0)) {
            case 4:
                return 40;
            } else
                return 41;
        }
    }
    case 'a':
        for (;;) {
            switch (await val(1)) {
            case 1:
                break;
            default:
                continue;
            }
            break;
        }
        return 97;
    }
    return await val(0) ?: 12;
}
async int
main(void)
{
    long v[] = {-3, 0, 1, 5, 97, 100000000000};
    for (int i = 0; i < 6; i++)
        printf("%d ", await sw(v[i]));
    puts("");
    return 0;
}

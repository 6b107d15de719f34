#include "corner.h"
async int
main(void)
{
    int t = 0;
    for (int i = 0; i < 6; i++) {
        int r = ({
            int a = await val(i);
            if (a == 2)
                goto skip;
            int b = ({
                if (a == 4)
                    break;
                await val(a * 2);
            });
            a + b;
        });
        printf("%d ", r);
        t += ({
            switch (await val(r % 3)) {
            case 0:
                if (i == 0)
                    continue;
                t += 100;
            case 1:
                t += 10;
                break;
            default:
                goto skip;
            }
            await val(1);
        });
        continue;
    skip:
        printf("s%d ", i);
    }
    printf("%d\n", t);
    return 0;
}

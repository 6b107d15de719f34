// Another task writes through the address of a suspended function's local.
#include <fermata.h>
#include <stdio.h>
#include <string.h>

static async void
writer(int *p, char *text, long *big)
{
    for (int i = 0; i < 3; i++) {
        await fm_yield();
        ++*p;
        text[i] = (char)('a' + i);
        big[i * 40] = i;
    }
}

static async int
owner(int start)
{
    int local = start;
    char text[8] = "........";
    long big[100];
    memset(big, 0xff, sizeof(big));
    text[7] = 0;
    FM_TASK(void) t = fm_start(writer(&local, text, big));
    while (local < start + 3)
        await fm_yield();
    await fm_join(t);
    printf("%s %ld %ld %ld\n", text, big[0], big[40], big[80]);
    return local;
}

async int
main(void)
{
    FM_TASK(int) a = fm_start(owner(10));
    FM_TASK(int) b = fm_start(owner(20));
    printf("%d\n", await owner(30));
    printf("%d\n", await fm_join(a));
    printf("%d\n", await fm_join(b));
    return 0;
}

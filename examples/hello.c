/* hello.c: two waits at once, in straight-line C. */
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>

async int brew(const char *what, int ms)
{
    await fm_sleep(FM_MS(ms));
    printf("%s is ready\n", what);
    return ms;
}

async int main(void)
{
    FM_TASK(int) tea = fm_start(brew("tea", 300));
    int ms = await brew("coffee", 200);

    ms += await fm_join(tea);
    printf("%d ms of brewing in 300\n", ms);
    return 0;
}

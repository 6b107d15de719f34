// A group through which a million short tasks pass takes no more memory than
// one through which a thousand pass.
// only: O2
#include "../rt/ok.h"
#include <fermata/io.h>
#include <fermata/sync.h>
#include <unistd.h>

static long done;

async void brief(int how)
{
    if (how % 4 == 0)
        await fm_yield();
    done++;
}

static long pages(void)
{
    long size, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    OK(f && fscanf(f, "%ld %ld", &size, &resident) == 2);
    fclose(f);
    return resident;
}

async int main(void)
{
    long before = 0;
    FM_GROUP(g);
    for (int i = 0; i < 1000000; i++) {
        fm_group_start(&g, brief(i));
        if (i % 100 == 0)
            await fm_yield();
        if (i == 1000)
            before = pages();
    }
    await fm_group_close(&g);
    OK(done == 1000000);
    OK(pages() - before < 64);
    return 0;
}

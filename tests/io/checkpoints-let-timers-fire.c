// A loop over operations that succeed at once does not keep a timer that is due.
#include <fermata/io.h>
#include <fermata/sync.h>
#include <stdio.h>

static bool fired;

static async void
sleeper(void)
{
    await fm_sleep(FM_US(100));
    fired = true;
}

static FM_TASK(void) due(void)
{
    FM_TASK(void) t = fm_start(sleeper());
    int64_t now = fm_now();

    fired = false;
    while (fm_now() - now < FM_MS(2))
        ;
    return t;
}

async int
main(void)
{
    FM_CHANNEL(int) c = fm_channel_new(int, 1);
    FM_TASK(void) t = due();
    int n = 0, v;

    for (; n < 2000 && !fired; n++)
        await fm_checkpoint();
    if (n == 2000)
        return puts("2,000 checkpoints kept it"), 1;
    await fm_join(t);
    t = due();
    for (n = 0; n < 2000 && !fired; n++) {
        await fm_send(c, n);
        await fm_receive(c, &v);
    }
    if (n == 2000)
        return puts("4,000 operations on a channel kept it"), 1;
    await fm_join(t);
    fm_channel_release(c);
    return 0;
}

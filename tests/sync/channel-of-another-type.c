// Values of another type than the channel carries do not compile.
// only: O0
#include <fermata/sync.h>

struct point {
    int x, y;
};

async int wrong(FM_CHANNEL(int) c, FM_CHANNEL(struct point) p)
{
    long n;
    struct point at = {1, 2};
    await fm_send(c, "text");
    await fm_send(c, at);
    await fm_send(p, 5);
    await fm_receive(c, &n);
    await fm_receive(c, n);
    FM_CHANNEL(long) l = c;
    return fm_try_receive(l, &at);
}

fm_mutex m;
async void no_channel(FM_CHANNEL(int) c, void *address)
{
    fm_channel_close(m);
    await c;
    address = (void *)c; // of the channel: is allowed
    fm_group_start((fm_group *)address, wrong(c, (FM_CHANNEL(struct point))c));
}

void ordinary(fm_group *g, FM_CHANNEL(int) c)
{
    fm_group_start(g, no_channel(c, NULL));
}

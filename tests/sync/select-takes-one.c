// A select does exactly one of its operations: the first that can be done.
// smoke
#include "../rt/ok.h"
#include <fermata/io.h>
#include <fermata/sync.h>

async int from_either(FM_CHANNEL(int) a, FM_CHANNEL(int) b, int *out,
                      int64_t ns)
{
    bool more;
    int i = await fm_select(ns, FM_RECEIVE(a, out, &more),
                            FM_RECEIVE(b, out, &more));
    return i < 0 || more ? i : -10 - i;
}

async void waits(FM_CHANNEL(int) a, FM_CHANNEL(int) b)
{
    int n = 0;
    FM_TASK(int) t = fm_start(from_either(a, b, &n, FM_FOREVER));
    OK(fm_try_send(b, 5) && !fm_try_send(a, 6)); /* it takes one only */
    OK(await fm_join(t) == 1 && n == 5);
    OK(await from_either(a, b, &n, 0) == -1);
    int64_t since = fm_now();
    OK(await from_either(a, b, &n, FM_MS(5)) == -1);
    OK(fm_now() - since >= FM_MS(5));
    t = fm_start(from_either(a, b, &n, FM_FOREVER));
    fm_cancel(t);
    OK(await fm_attempt(&n, fm_join(t)));
    OK(!fm_try_send(a, 1) && !fm_try_send(b, 1)); /* nobody is left in them */
}

async int give(FM_CHANNEL(int) a, FM_CHANNEL(int) b, int n)
{
    return await fm_select(FM_FOREVER, FM_SEND(a, n), FM_SEND(b, n + 1));
}

/* Two that select meet: one sends, one receives. */
async void meet(FM_CHANNEL(int) a, FM_CHANNEL(int) b)
{
    int n = 0;
    FM_TASK(int) t = fm_start(give(a, b, 7));
    OK(await from_either(b, a, &n, FM_FOREVER) == 0 && n == 8);
    OK(await fm_join(t) == 1);
    FM_TASK(int) u = fm_start(from_either(a, b, &n, FM_FOREVER));
    OK(await give(a, b, 9) == 0);
    OK(await fm_join(u) == 0 && n == 9);
}

async void closes(FM_CHANNEL(int) a, FM_CHANNEL(int) b)
{
    int n = 3;
    FM_TASK(int) t = fm_start(from_either(a, b, &n, FM_FOREVER));
    fm_channel_close(b);
    OK(await fm_join(t) == -11 && n == 3);
    FM_TASK(int) u = fm_start(give(a, b, 1));
    fm_fault *f = await fm_attempt(&n, fm_join(u));
    OK(f && fm_fault_code(f) == EPIPE);
}

async void many(void)
{
    enum { N = 20 };
    fm_choice all[N];
    FM_CHANNEL(int) c[N];
    int out[N] = {0};
    for (int i = 0; i < N; i++) {
        c[i] = fm_channel_new(int, 1);
        all[i] = (fm_choice)FM_RECEIVE(c[i], &out[i], NULL);
    }
    FM_TASK(int) t = fm_start(fm_abi_select(FM_FOREVER, all, N));
    memset(all, 0, sizeof all);
    await fm_send(c[13], 4);
    OK(await fm_join(t) == 13 && out[13] == 4);
    for (int i = 0; i < N; i++)
        fm_channel_release(c[i]);
}

async int main(void)
{
    FM_CHANNEL(int) a = fm_channel_new(int, 0);
    FM_CHANNEL(int) b = fm_channel_new(int, 0);
    await waits(a, b);
    await meet(a, b);
    await closes(a, b);
    await many();
    fm_channel_release(a);
    fm_channel_release(b);
    return 0;
}

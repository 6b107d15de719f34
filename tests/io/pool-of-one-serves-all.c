// On a pool of one worker, a task that computes and yields now and then keeps
// neither sockets, timers and blocking calls of others waiting, nor what
// comes from other threads.
// threads
// time: 60
#include "../rt/ok.h"
#include <fermata/io.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

static atomic_int left;

async void echo(fm_stream *s)
{
    char c;
    while (await fm_read(s, &c, 1))
        await fm_write(s, &c, 1);
    fm_close(s);
    left--;
}

/* On the main loop. */
async void asks(fm_stream *s)
{
    for (char c = 0, back; c < 20; c++) {
        await fm_write(s, &c, 1);
        OK(await fm_read(s, &back, 1) == 1 && back == c);
    }
    fm_close(s);
}

async void sleeps(void)
{
    for (int i = 0; i < 20; i++)
        await fm_sleep(FM_MS(1));
    left--;
}

static int adds(int a)
{
    return a + 1;
}

async void calls(void)
{
    for (int i = 0; i < 20; i++)
        OK(await fm_blocking(adds(i)) == i + 1);
    left--;
}

async void too_long(void)
{
    fm_with_timeout(FM_MS(2));
    await fm_sleep(FM_S(99));
}

async void is_late(void)
{
    fm_fault *f = await fm_attempt(NULL, too_long());
    OK(f && fm_fault_code(f) == ETIMEDOUT);
    left--;
}

/* Until all others are over, however long that takes. */
async unsigned computes(void)
{
    unsigned x = 1;
    while (atomic_load(&left)) {
        for (int i = 0; i < 100000; i++)
            x = x * 1103515245u + 12345u;
        await fm_yield();
    }
    return x;
}

__attribute__((constructor)) static void size_of_pool(void)
{
    setenv("FERMATA_POOL", "1", 1);
}

async int main(void)
{
    int fds[2];
    OK(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
    left = 4;
    FM_TASK(unsigned) busy = fm_start_on(fm_pool(), computes());
    FM_TASK(void) t[] = {
        fm_start_on(fm_pool(), echo(fm_stream_open(fds[0]))),
        fm_start_on(fm_pool(), sleeps()),
        fm_start_on(fm_pool(), calls()),
        fm_start_on(fm_pool(), is_late()),
        fm_start(asks(fm_stream_open(fds[1]))),
    };
    for (int i = 0; i < 5; i++)
        await fm_join(t[i]);
    OK(await fm_join(busy) | 1);
    return 0;
}

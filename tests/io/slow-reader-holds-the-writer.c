// A writer waits for a slow reader without spinning, and all bytes arrive in
// order though each side moves them in pieces of its own size.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <time.h>
// threads

enum { BYTES = 4 << 20 };

async void put(fm_listener *l)
{
    static unsigned char buf[BYTES];
    fm_stream *s = await fm_accept(l);
    FM_DEFER fm_close(s);
    for (int i = 0; i < BYTES; i++)
        buf[i] = (unsigned char)(i * 7 + (i >> 8));
    await fm_write(s, buf, sizeof(buf));
}

async int main(void)
{
    static unsigned char buf[70001];
    long at = 0, wrong = 0;
    size_t n;
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 1);
    FM_TASK(void) writer = fm_start(put(l));
    fm_stream *s = await fm_tcp_connect(NULL, fm_listener_port(l));
    await fm_sleep(FM_MS(50));
    clock_t cpu = clock();
    await fm_sleep(FM_MS(200));
    cpu = clock() - cpu;
    while ((n = await fm_read(s, buf, at % 70001 + 1)) > 0) {
        for (size_t i = 0; i < n; i++, at++)
            wrong += buf[i] != (unsigned char)(at * 7 + (at >> 8));
        if (at % 5 == 0)
            await fm_sleep(FM_US(200));
    }
    await fm_join(writer);
    printf("%ld bytes, %ld wrong, %s\n", at, wrong,
           cpu < CLOCKS_PER_SEC / 20 ? "slept" : "span");
    fm_close(s);
    fm_listener_close(l);
    return 0;
}

// After fm_shutdown the other end reads the end, and can still answer.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <string.h>
// threads

async void answer(fm_listener *l)
{
    char buf[64];
    fm_stream *s = await fm_accept(l);
    FM_DEFER fm_close(s);
    size_t n = await fm_read_exact(s, buf, sizeof(buf));
    printf("server read %zu: %.*s\n", n, (int)n, buf);
    printf("and then %zu\n", await fm_read(s, buf, sizeof(buf)));
    await fm_write(s, "adieu", 5);
    await fm_shutdown(s);
    printf("server has shut down\n");
}

async int main(void)
{
    char buf[64];
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 1);
    FM_TASK(void) server = fm_start(answer(l));
    fm_stream *s = await fm_tcp_connect(NULL, fm_listener_port(l));
    await fm_write(s, "hello", 5);
    await fm_sleep(FM_MS(5));
    await fm_write(s, " there", 6);
    await fm_shutdown(s);
    size_t n = await fm_read_exact(s, buf, sizeof(buf));
    printf("client read %zu: %.*s\n", n, (int)n, buf);
    await fm_join(server);
    fm_fault *f = await fm_attempt(NULL, fm_shutdown(s));
    printf("a second shutdown: %s\n", f ? "fault" : "none");
    f = await fm_attempt(&n, fm_write(s, "x", 1));
    printf("a write after it: %s\n", f ? fm_fault_message(f) : "none");
    fm_close(s);
    fm_listener_close(l);
    return 0;
}

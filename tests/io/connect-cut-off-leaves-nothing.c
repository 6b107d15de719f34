// A connect that runs into a time limit, or is cancelled, leaves no descriptor
// open; one that was answered later is not mixed up with it.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <unistd.h>

enum { CONNECTS = 8 };

static int
lowest_free(void)
{
    int fd = dup(0);
    close(fd);
    return fd;
}

async int connect_within(int port, fm_stream **s)
{
    fm_fault *f;
    fm_try {
        *s = await fm_within(FM_MS(30), fm_tcp_connect("127.0.0.1", port));
    }
    fm_catch (f) {
        return fm_fault_code(f);
    }
    return 0;
}

async int main(void)
{
    fm_stream *s[CONNECTS] = {0};
    int late = 0, other = 0, before = lowest_free();
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 0);
    for (int i = 0; i < CONNECTS; i++) {
        int error = await connect_within(fm_listener_port(l), &s[i]);
        late += error == ETIMEDOUT;
        other += error && error != ETIMEDOUT;
    }
    for (int i = 0; i < CONNECTS; i++)
        fm_close(s[i]);
    fm_listener_close(l);
    printf("%s, %d other\n", late > 2 ? "some late" : "none late", other);
    printf("%s\n", lowest_free() == before ? "nothing open" : "open");
    return 0;
}

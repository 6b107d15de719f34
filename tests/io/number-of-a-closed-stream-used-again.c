// A new descriptor of the same number sees no events of the old one, and a
// duplicate that keeps the old one open wakes nobody.
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int woken;

async void reader(fm_stream *s)
{
    char c;
    await fm_read(s, &c, 1);
    woken++;
}

async int main(void)
{
    int old[2], new[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, old);
    fm_stream *s = fm_stream_open(old[0]);
    FM_TASK(void) first = fm_start(reader(s));
    await fm_yield();
    int kept = dup(old[0]);
    if (write(old[1], "x", 1) != 1)
        return 1;
    fm_close(s);
    socketpair(AF_UNIX, SOCK_STREAM, 0, new);
    printf("%s\n", new[0] == old[0] ? "same number" : "another number");
    fm_stream *t = fm_stream_open(new[0]), *other = fm_stream_open(new[1]);
    FM_TASK(void) second = fm_start(reader(t));
    if (write(old[1], "x", 1) != 1)
        return 1;
    await fm_sleep(FM_MS(5));
    printf("%d woken\n", woken);
    await fm_write(other, "y", 1);
    await fm_join(second);
    printf("%d woken\n", woken);
    fm_fault *f = await fm_attempt(NULL, fm_join(first));
    printf("%s\n", fm_fault_message(f));
    fm_close(t);
    fm_close(other);
    close(kept);
    close(old[1]);
    return 0;
}

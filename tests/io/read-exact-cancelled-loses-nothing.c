// Bytes that a cancelled fm_read_exact or fm_read_until had got are there for
// the next read.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <sys/socket.h>

async void show(fm_stream *s, size_t n)
{
    char buf[64];
    size_t got = await fm_read_exact(s, buf, n);
    printf("[%.*s]\n", (int)got, buf);
}

async void late(fm_stream *s, bool exact)
{
    char buf[64];
    fm_fault *f;
    fm_try {
        if (exact)
            await fm_within(FM_MS(2), fm_read_exact(s, buf, 10));
        else
            await fm_within(FM_MS(2), fm_read_until(s, buf, 64, '\n'));
    }
    fm_catch (f) {
        printf("%s\n", fm_fault_code(f) == ETIMEDOUT ? "late" : "?");
    }
}

async int main(void)
{
    int fd[2];
    char line[64];
    size_t n;
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    fm_stream *s = fm_stream_open(fd[0]), *other = fm_stream_open(fd[1]);
    await fm_write(other, "abc", 3);
    for (int i = 0; i < 3; i++) {
        await late(s, true);
        await late(s, false);
        await fm_write(other, "def", 3);
    }
    await show(s, 4);
    await fm_write(other, "\nrest\nand", 9);
    n = await fm_read_until(s, line, sizeof(line), '\n');
    printf("[%.*s]\n", (int)n - 1, line);
    n = await fm_read_until(s, line, 2, '\n');
    printf("[%.*s]\n", (int)n, line);
    n = await fm_read_until(s, line, sizeof(line), '\n');
    printf("[%.*s]\n", (int)n - 1, line);
    fm_close(other);
    n = await fm_read_until(s, line, sizeof(line), '\n');
    printf("[%.*s] %zu\n", (int)n, line,
           await fm_read_until(s, line + 32, 4, '\n'));
    fm_close(s);
    return 0;
}

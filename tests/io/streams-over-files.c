// A stream over a file reads and writes as any, whether the kernel tells what
// is in memory (a disk) or not (tmpfs), and others run meanwhile.
// threads
#include "../rt/ok.h"
#include <fcntl.h>
#include <fermata/io.h>
#include <unistd.h>

enum { LINES = 20000 };
static int ticks, stop;

async void tick(void)
{
    for (; !stop; ticks++)
        await fm_yield();
}

async void write_lines(const char *path)
{
    char line[64];
    fm_stream *s =
        fm_stream_open(open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600));
    for (int i = 0; i < LINES; i += 100) {
        char block[6000];
        size_t used = 0;
        for (int k = i; k < i + 100; k++)
            used += (size_t)snprintf(block + used, sizeof block - used,
                                     "line %d of many\n", k);
        OK(await fm_write(s, block, used) == used);
    }
    OK(await fm_write_some(s, line, 0) == 0);
    fm_close(s);
}

async void read_lines(const char *path)
{
    char line[64], want[64];
    fm_stream *s = fm_stream_open(open(path, O_RDONLY));
    for (int i = 0; i < LINES; i++) {
        size_t n = await fm_read_until(s, line, sizeof line, '\n');
        size_t w = (size_t)snprintf(want, sizeof want, "line %d of many\n", i);
        OK(n == w && !memcmp(line, want, n));
    }
    OK(await fm_read_until(s, line, sizeof line, '\n') == 0);
    OK(await fm_read(s, line, 1) == 0);
    fm_close(s);
}

async void read_blocks(const char *path)
{
    static char block[200000];
    fm_stream *s = fm_stream_open(open(path, O_RDONLY));
    OK(await fm_read_exact(s, block, 7) == 7 && !memcmp(block, "line 0 ", 7));
    OK(await fm_read_until(s, block, 3, '\n') == 3);
    size_t n = await fm_read_exact(s, block, sizeof block);
    OK(n == sizeof block && !memcmp(block, "many\nline 1 ", 12));
    while ((n = await fm_read(s, block, sizeof block)))
        OK(n <= sizeof block);
    fm_close(s);
}

async void closed_meanwhile(const char *path)
{
    char buf[100];
    size_t n;
    fm_stream *s = fm_stream_open(open(path, O_RDONLY));
    FM_TASK(size_t) t = fm_start(fm_read(s, buf, sizeof buf));
    FM_TASK(size_t) u = fm_start(fm_read(s, buf, sizeof buf));
    fm_close(s);
    for (int i = 0; i < 2; i++) {
        fm_fault *f = await fm_attempt(&n, fm_join(i ? u : t));
        OK(!f || fm_fault_code(f) == ECANCELED);
    }
}

async void wrong(void)
{
    char buf[10];
    size_t n;
    fm_stream *s = fm_stream_open(open("x", O_WRONLY | O_CREAT, 0600));
    fm_fault *f = await fm_attempt(&n, fm_read(s, buf, 1));
    OK(f && fm_fault_code(f) == EBADF);
    fm_close(s);
    s = fm_stream_open(open("x", O_RDONLY));
    f = await fm_attempt(&n, fm_write(s, buf, 1));
    OK(f && fm_fault_code(f) == EBADF);
    fm_close(s);
}

async int main(void)
{
    char shm[64];
    FM_TASK(void) ticker = fm_start(tick());
    snprintf(shm, sizeof shm, "/dev/shm/fermata-test-%d", getpid());
    bool tmpfs = !access("/dev/shm", W_OK);
    for (int i = 0; i < 1 + tmpfs; i++) {
        const char *path = i ? shm : "lines";
        await write_lines(path);
        await read_lines(path);
        await read_blocks(path);
        await closed_meanwhile(path);
        unlink(path);
    }
    await wrong();
    OK(ticks > 10);
    stop = 1;
    await fm_join(ticker);
    return 0;
}

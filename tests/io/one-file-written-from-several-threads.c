// Tasks on loops and the pool write to one stream over a file, which the lane
// stores: no write is lost, and none is mixed with another.
// threads
#include "../rt/ok.h"
#include <fcntl.h>
#include <fermata/io.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WRITERS = 6, WRITES = 40, BYTES = 700 };

async void writes(fm_stream *s, int who)
{
    char buf[BYTES];
    memset(buf, 'a' + who, sizeof buf);
    for (int i = 0; i < WRITES; i++)
        OK(await fm_write(s, buf, sizeof buf) == sizeof buf);
}

async int main(void)
{
    int fd = open("f", O_RDWR | O_CREAT, 0600), counts[WRITERS] = {0};
    fm_stream *s = fm_stream_open(fd);
    fm_executor *at[] = {fm_loop(), fm_pool(), fm_loop_new()};
    FM_TASK(void) t[WRITERS];
    char buf[BYTES];

    for (int i = 0; i < WRITERS; i++)
        t[i] = fm_start_on(at[i % 3], writes(s, i));
    for (int i = 0; i < WRITERS; i++)
        await fm_join(t[i]);
    for (int i = 0; i < WRITERS * WRITES; i++) {
        OK(pread(fd, buf, BYTES, (off_t)i * BYTES) == BYTES);
        OK(buf[0] >= 'a' && buf[0] < 'a' + WRITERS);
        for (int k = 1; k < BYTES; k++)
            OK(buf[k] == buf[0]);
        counts[buf[0] - 'a']++;
    }
    OK(pread(fd, buf, 1, (off_t)WRITERS * WRITES * BYTES) == 0);
    for (int i = 0; i < WRITERS; i++)
        OK(counts[i] == WRITES);
    fm_close(s);
    fm_executor_free(at[2]);
    return 0;
}

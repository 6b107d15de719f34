// A file opened with O_DIRECT is read by the lane, never by the loop's thread.
#define _GNU_SOURCE
#include "../rt/ok.h"
#include <fcntl.h>
#include <fermata/io.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4096 };
static _Alignas(BLOCK) char out[2 * BLOCK], in[3 * BLOCK];

async size_t reads(fm_file *f, int64_t offset)
{
    return await fm_file_read(f, in, sizeof in, offset);
}

async int main(void)
{
    memset(out, 'x', sizeof out);
    fm_file *f = await fm_file_open("a", O_RDWR | O_CREAT, 0600);
    OK(await fm_file_write(f, out, sizeof out, 0) == sizeof out);
    await fm_file_close(f);
    int fd = open("a", O_RDONLY | O_DIRECT);
    if (fd < 0) { /* this file system has no such thing */
        OK(errno == EINVAL);
        return 0;
    }
    close(fd);
    f = await fm_file_open("a", O_RDONLY | O_DIRECT, 0);
    for (int i = 0; i < 10; i++) {
        FM_TASK(size_t) t = fm_start(reads(f, 0));
        OK(fm_status(t) == FM_RUNNING); /* it did not read here */
        OK(await fm_join(t) == sizeof out && !memcmp(in, out, sizeof out));
    }
    OK(await reads(f, BLOCK) == BLOCK && in[0] == 'x');
    OK(await reads(f, 2 * BLOCK) == 0);
    await fm_file_close(f);
    return 0;
}

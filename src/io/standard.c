/* standard.c: stdin, stdout and stderr as streams, whatever they are.
 *
 * The trick: a pipe or terminal is opened again through /proc, so that
 * O_NONBLOCK is set on a file description of our own and not on the one that
 * we share with the shell and with the program's stdio.
 */
#include <errno.h>
#include <fcntl.h>
#include <fermata/io.h>
#include <io/loop.h>
#include <io/stream.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fm_stream *standard[3];

static int
open_again(int fd)
{
    char path[32];
    struct stat st;
    if (fstat(fd, &st))
        return -1;
    if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)) {
        int mode = fcntl(fd, F_GETFL) & O_ACCMODE;
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        int again = open(path, mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
        if (again >= 0)
            return fm__off_standard(again);
    }
    return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static fm_stream *
standard_stream(int fd)
{
    pthread_mutex_lock(&lock);
    if (!standard[fd]) {
        int again = open_again(fd);
        if (again >= 0 && !(standard[fd] = fm_stream_open(again))) {
            int error = errno;
            close(again);
            errno = error;
        }
    }
    fm_stream *s = standard[fd];
    pthread_mutex_unlock(&lock);
    return s;
}

void
fm__standard_forget(fm_stream *s)
{
    pthread_mutex_lock(&lock);
    for (int fd = 0; fd < 3; fd++)
        if (standard[fd] == s)
            standard[fd] = NULL;
    pthread_mutex_unlock(&lock);
}

void
fm__standard_after_fork(void)
{
    static const pthread_mutex_t free_mutex = PTHREAD_MUTEX_INITIALIZER;
    lock = free_mutex;
}

fm_stream *
fm_stdin(void)
{
    return standard_stream(0);
}

fm_stream *
fm_stdout(void)
{
    return standard_stream(1);
}

fm_stream *
fm_stderr(void)
{
    return standard_stream(2);
}

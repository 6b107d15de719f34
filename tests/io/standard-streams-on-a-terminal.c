// The standard streams work on a terminal: lines are read as they are typed,
// the end of input is seen, and the terminal stays as it was for others.
// time: 30
#define _XOPEN_SOURCE 600
#include "../rt/ok.h"
#include <fcntl.h>
#include <fermata/io.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

async int child(void)
{
    char line[100];
    size_t n;
    int lines = 0;
    while ((n = await fm_read_until(fm_stdin(), line, sizeof line, '\n'))) {
        lines++;
        await fm_write(fm_stdout(), "got ", 4);
        await fm_write(fm_stdout(), line, n);
        await fm_write(fm_stderr(), "!", 1);
    }
    OK(!(fcntl(0, F_GETFL) & O_NONBLOCK) && !(fcntl(1, F_GETFL) & O_NONBLOCK));
    fm_close(fm_stdin());
    return lines;
}

static void expect(int fd, const char *want)
{
    char got[200];
    size_t n = 0;
    while (n < strlen(want)) {
        ssize_t r = read(fd, got + n, sizeof got - 1 - n);
        OK(r > 0);
        n += (size_t)r;
    }
    got[n] = '\0';
    if (strcmp(got, want)) {
        fprintf(stderr, "wanted <%s>, got <%s>\n", want, got);
        exit(1);
    }
}

int main(void)
{
    int status, terminal = posix_openpt(O_RDWR | O_NOCTTY);
    struct termios t;
    OK(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
    int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    OK(other >= 0 && !tcgetattr(other, &t));
    t.c_lflag &= ~(tcflag_t)ECHO;
    t.c_oflag &= ~(tcflag_t)OPOST;
    OK(!tcsetattr(other, TCSANOW, &t));
    pid_t pid = fork();
    if (!pid) {
        setsid();
        for (int fd = 0; fd < 3; fd++)
            dup2(other, fd);
        close(terminal);
        close(other);
        _exit(fm_wait(child()));
    }
    OK(write(terminal, "one\n", 4) == 4);
    expect(terminal, "got one\n!");
    OK(write(terminal, "tw", 2) == 2);
    usleep(20000);
    OK(write(terminal, "o\n", 2) == 2);
    expect(terminal, "got two\n!");
    OK(write(terminal, "\4", 1) == 1); /* the end of input */
    OK(waitpid(pid, &status, 0) == pid);
    OK(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    return 0;
}

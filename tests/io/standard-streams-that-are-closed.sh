#!/bin/sh
# Where a standard stream is closed, the runtime's own descriptors do not take
# its place: it is no stream, and what is printed there is lost, not read.
cat >x.c <<'END'
#include <fcntl.h>
#include <fermata/io.h>
#include <stdio.h>
#include <unistd.h>

static async int one(int n) { await fm_sleep(FM_MS(1)); return n; }

async int main(int argc, char **argv)
{
    int low = open("told", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    FILE *told = fdopen(fcntl(low, F_DUPFD, 10), "w");
    close(low);
    fm_stream *s[3] = {fm_stdin(), fm_stdout(), fm_stderr()};
    (void)argc, (void)argv;
    for (int i = 0; i < 3; i++) { /* by pairs, as printf would */
        (void)!write(i, "12345678", 8);
        fprintf(told, "%s", s[i] ? "+" : "-");
    }
    fprintf(told, "%d", await fm_join(fm_start_on(fm_pool(), one(7))));
    for (int i = 0; i < 3; i++)
        if (s[i])
            fprintf(told, " %d", fm_stream_fd(s[i]) > 2);
    fclose(told);
    return 0;
}
END
$CC -O1 x.c -o x || exit 1
expect() { # expect TEXT: the last call was right and said so
    [ $? = 0 ] && [ "$(cat told)" = "$1" ] && return
    echo "not $1: $(cat told)" >&2
    exit 1
}
timeout 10 ./x </dev/null >out 2>err; expect '+++7 1 1 1'
timeout 10 ./x <&- >out 2>err; expect '-++7 1 1'
timeout 10 ./x </dev/null >&- 2>err; expect '+-+7 1 1'
timeout 10 ./x </dev/null >out 2>&-; expect '++-7 1 1'
timeout 10 ./x <&- >&- 2>&-; expect '---7'

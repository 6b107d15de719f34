# fm_stdin and fm_stdout work as pipes, files and /dev/null, and leave the program's own descriptors blocking.
cat >cat.c <<'X'
#include <fcntl.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
async int main(void)
{
    char buf[100];
    size_t n;
    while ((n = await fm_read(fm_stdin(), buf, sizeof(buf))) > 0)
        await fm_write(fm_stdout(), buf, n);
    fprintf(stderr, "%d%d\n", !!(fcntl(0, F_GETFL) & O_NONBLOCK),
            !!(fcntl(1, F_GETFL) & O_NONBLOCK));
    fm_close(fm_stdin());
    fm_close(fm_stdout());
    return 0;
}
X
$CC -O1 -o cat cat.c || exit 1
head -c 300000 /dev/urandom >sent
{ head -c 100000 sent; sleep 0.1; tail -c 200000 sent; } | ./cat 2>err |
    { sleep 0.1; cat; } | cmp - sent || exit 1
[ "$(cat err)" = 00 ] || { cat err; exit 1; }
./cat <sent >got 2>err && cmp got sent || exit 1
[ "$(cat err)" = 00 ] || { cat err; exit 1; }
./cat </dev/null >/dev/null 2>err || exit 1
echo one >got && ./cat <sent >>got 2>err && [ $(wc -c <got) = 300004 ]

# examples/echo.c sends back all that it gets, a megabyte at once too.
$CC -O2 -o echo "$TOP/examples/echo.c" || exit 1
cat >client.c <<'X'
#include <fermata.h>
#include <fermata/io.h>
#include <stdlib.h>
#include <string.h>
static char sent[1000000], got[1000001];
async void put(fm_stream *s)
{
    await fm_write(s, sent, sizeof(sent));
    await fm_shutdown(s);
}
async int main(int argc, char **argv)
{
    (void)argc;
    for (size_t i = 0; i < sizeof(sent); i++)
        sent[i] = (char)(i * 7 + i / 1000);
    fm_stream *s = await fm_tcp_connect("127.0.0.1", atoi(argv[1]));
    FM_TASK(void) t = fm_start(put(s));
    size_t n = await fm_read_exact(s, got, sizeof(got));
    await fm_join(t);
    fm_close(s);
    return n != sizeof(sent) || memcmp(got, sent, n);
}
X
$CC -O2 -o client client.c || exit 1
./echo >port &
echo=$!
trap 'kill $echo' EXIT
for i in 1 2 3 4 5 6 7 8 9 10; do grep -q port port && break; sleep 0.1; done
./client $(sed 's/.*port //' port)

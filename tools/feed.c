/* feed.c PORT CONNECTIONS: sends each file named on standard input to a
 * service like examples/words.c, so many at once, and prints its answer and
 * the file's name. Says on standard error how fast that went. */
#include <errno.h>
#include <fcntl.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 100000
#define MOST_AT_ONCE 1024

static char *names[MOST];
static size_t count, next;
static size_t bytes;

async void send_text(fm_stream *server, const char *name)
{
    char buf[16384];
    size_t n;
    fm_stream *file = fm_stream_open(open(name, O_RDONLY | O_CLOEXEC));
    FM_DEFER fm_close(file);

    while (file && (n = await fm_read(file, buf, sizeof(buf))) > 0) {
        await fm_write(server, buf, n);
        bytes += n;
    }
    await fm_shutdown(server);
}

async void ask(int port, const char *name)
{
    char answer[100];
    fm_stream *server = await fm_tcp_connect("127.0.0.1", port);
    FM_DEFER fm_close(server);

    await send_text(server, name);
    size_t n = await fm_read_until(server, answer, sizeof(answer), '\n');
    if (!n)
        fm_throw(EPROTO, "%s: no answer", name);
    printf("%.*s %s\n", (int)n - 1, answer, name);
}

async void feed(int port)
{
    while (next < count)
        await ask(port, names[next++]);
}

async int main(int argc, char **argv)
{
    int port = argc > 1 ? atoi(argv[1]) : 0;
    size_t n = argc > 2 ? (size_t)atoi(argv[2]) : 1;
    char line[4096];
    FM_TASK(void) feeders[MOST_AT_ONCE];
    int64_t start = fm_now();

    if (n > MOST_AT_ONCE)
        n = MOST_AT_ONCE;
    while (count < MOST && fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = '\0';
        names[count++] = strdup(line);
    }
    for (size_t i = 0; i < n; i++)
        feeders[i] = fm_start(feed(port));
    await fm_all(feeders, n);
    for (size_t i = 0; i < n; i++)
        fm_release(feeders[i]);
    double s = (double)(fm_now() - start) / 1e9;
    fprintf(stderr, "%zu texts, %.1f MB in %.2f s over %zu connections at "
                    "once: %.0f texts/s, %.1f MB/s\n",
            count, (double)bytes / 1e6, s, n, (double)count / s,
            (double)bytes / 1e6 / s);
    return 0;
}

/* words.c [PORT]: counts lines, words and bytes of each text sent to it, as
 * wc does. A client sends its text, shuts its side down, and reads a line. */
#include <ctype.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <stdlib.h>

struct count {
    long lines, words, bytes;
    bool in_word;
};

static void count(struct count *c, const char *text, size_t n)
{
    c->bytes += (long)n;
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)text[i];
        c->lines += byte == '\n';
        if (isspace(byte)) {
            c->in_word = false;
        } else if (isprint(byte)) { /* wc in the C locale: these only */
            c->words += !c->in_word;
            c->in_word = true;
        }
    }
}

async void serve(fm_stream *client)
{
    struct count c = {0};
    char buf[16384], answer[80];
    size_t n;

    FM_DEFER fm_close(client);
    while ((n = await fm_read(client, buf, sizeof(buf))) > 0)
        count(&c, buf, n);
    n = (size_t)snprintf(answer, sizeof(answer), "%ld %ld %ld\n", c.lines,
                         c.words, c.bytes);
    await fm_write(client, answer, n);
}

async int main(int argc, char **argv)
{
    int port = argc > 1 ? atoi(argv[1]) : 0;
    fm_listener *l = await fm_tcp_listen("127.0.0.1", port, 128);

    printf("words: port %d\n", fm_listener_port(l));
    fflush(stdout);
    for (;;) {
        fm_stream *client = await fm_accept(l);
        fm_detach(serve(client));
    }
}

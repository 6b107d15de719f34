// Files, folders, names and standard streams without memory: ENOMEM, all that
// was opened is closed, and the next call works.
#include "../rt/rounds.h"
#include <fcntl.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <netdb.h>
#include <sys/stat.h>
#include <unistd.h>

static async void
close_file(fm_file **f)
{
    if (*f)
        closed++, await fm_file_close(*f);
}
static void
shut(fm_stream **s)
{
    if (*s)
        closed++, fm_close(*s);
}
static void
shut_listener(fm_listener **l)
{
    closed++, fm_listener_close(*l);
}
#define FILE_IN_BLOCK __attribute__((cleanup(close_file))) fm_file *
#define STREAM __attribute__((cleanup(shut))) fm_stream *

static async void
files(void)
{
    char text[64];
    struct stat st;
    FILE_IN_BLOCK f = await fm_file_open("text", O_RDWR | O_CREAT, 0600);
    opened++;
    await fm_file_resize(f, 0);
    OK(await fm_file_write(f, "hello\n", 6, 0) == 6);
    await fm_file_sync(f);
    await fm_file_stat(f, &st);
    OK(st.st_size == 6);
    OK(await fm_file_read(f, text, sizeof text, 1) == 5);
    OK(!memcmp(text, "ello\n", 5));
}

enum { ENTRIES = 70 }; /* more than a list has room for at first */

static async void
folders(void)
{
    fm_entry *list = NULL;
    struct stat st;
    FM_DEFER fm_dir_free(list);
    rmdir("other"), rmdir("third");
    OK(await fm_dir_list("folder", &list) == ENTRIES);
    OK(!strcmp(list[0].name, "a-file-of-a-name-that-is-rather-long-00"));
    await fm_mkdir("other", 0700);
    await fm_rename("other", "third");
    await fm_stat("third", &st);
    OK(S_ISDIR(st.st_mode));
    await fm_rmdir("third");
    close(open("gone", O_CREAT | O_WRONLY, 0600));
    await fm_unlink("gone");
}

static async void
names(void)
{
    struct addrinfo *list = NULL, *other = NULL;
    FM_DEFER
    {
        fm_lookup_free(list);
        fm_lookup_free(other);
    }
    await fm_lookup("127.0.0.1", "80", NULL, &list);
    await fm_lookup("localhost", NULL, NULL, &other);
    OK(list && other);
}

static async void
connects_by_name(void)
{
    __attribute__((cleanup(shut_listener))) fm_listener *l =
        await fm_tcp_listen("127.0.0.1", 0, 4);
    opened++;
    STREAM s = await fm_tcp_connect("localhost", fm_listener_port(l));
    opened++;
    STREAM t = await fm_accept(l);
    opened++;
    await fm_write(s, "x", 1);
    char byte = 0;
    OK(await fm_read(t, &byte, 1) == 1 && byte == 'x');
}

/* A file as a stream goes to the lane, too. */
static async void
streams(void)
{
    char line[8] = "";
    int fd = open("lines", O_RDONLY);
    OK(fd >= 0);
    STREAM s = fm_stream_open(fd);
    if (!s) {
        close(fd);
        fm_throw(ENOMEM, "no stream");
    }
    opened++;
    OK(await fm_read_until(s, line, sizeof line, '\n') == 4);
    OK(!memcmp(line, "one\n", 4));
    OK(await fm_read_exact(s, line, 4) == 4 && !memcmp(line, "two\n", 4));
}

static async void
standard(void)
{
    char word[4];
    int pipes[2];
    OK(!pipe(pipes) && write(pipes[1], "abc", 3) == 3);
    dup2(pipes[0], 0);
    close(pipes[0]);
    close(pipes[1]);
    STREAM in = fm_stdin();
    if (!in)
        fm_throw(errno, "no stdin");
    opened++;
    STREAM out = fm_stdout();
    if (!out)
        fm_throw(errno, "no stdout");
    opened++;
    OK(await fm_read_exact(in, word, 3) == 3 && !memcmp(word, "abc", 3));
    await fm_write(out, "abc\n", 4);
    OK(await fm_blocking(getppid()) == getppid());
}

/* The same streams in every round: a fault leaves them as they were. */
static fm_stream *from, *to, *kept;
static unsigned put, got, put_sum, got_sum; /* bytes, numbered */

static async void
reads_one(void)
{
    unsigned char byte;
    OK(await fm_read(from, &byte, 1) == 1);
    got++, got_sum += byte;
}

static async void
writes_one(void)
{
    unsigned char byte = (unsigned char)put;
    OK(await fm_write(to, &byte, 1) == 1);
    put++, put_sum += byte;
}

static async void
same_streams(void)
{
    while (put != got) /* what the last round has left */
        await reads_one();
    {
        FM_GROUP(readers);
        for (int i = 0; i < 3; i++) /* two of them wait for their turn */
            fm_group_start(&readers, reads_one());
        for (int i = 0; i < 3; i++)
            await writes_one();
        await fm_within(FM_S(5), fm_group_close(&readers));
    }
    for (int i = 0; i < 100; i++)
        await writes_one();
    while (put != got) /* at once, and now and then others have their turn */
        await reads_one();
    OK(put_sum == got_sum);
    await fm_write(kept, "abc\n", 4);
}

static bool
open_streams(void)
{
    int fd[2];
    OK(!pipe(fd));
    from = fm_stream_open(fd[0]);
    to = fm_stream_open(fd[1]);
    kept = fm_stream_open(open("kept", O_CREAT | O_WRONLY, 0600));
    return from && to && kept;
}

static void
prepare(void)
{
    char name[80];
    int fd = open("lines", O_CREAT | O_WRONLY, 0600);
    OK(write(fd, "one\ntwo\n", 8) == 8);
    close(fd);
    mkdir("folder", 0700);
    for (int i = 0; i < ENTRIES; i++) {
        snprintf(name, sizeof name,
                 "folder/a-file-of-a-name-that-is-rather-long-%02d", i);
        close(open(name, O_CREAT | O_WRONLY, 0600));
    }
}

async int
main(void)
{
    prepare();
    FM_DEFER
    {
        fm_close(from);
        fm_close(to);
        fm_close(kept);
    }
    if (!open_streams())
        fm_throw(ENOMEM, "no streams");
    for (int i = 0; i < 2; i++) {
        ROUND(files());
        ROUND(folders());
        ROUND(names());
        ROUND(connects_by_name());
        ROUND(streams());
        ROUND(standard());
        ROUND(same_streams());
    }
    return 0;
}

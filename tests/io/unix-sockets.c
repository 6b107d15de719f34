// Streams over unix sockets, by path and by abstract name; a full queue of
// connections makes fm_unix_connect wait, not fail.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <unistd.h>

enum { CLIENTS = 20 };

async void say(const char *path, int i)
{
    char c = (char)('a' + i);
    fm_stream *s = await fm_unix_connect(path);
    FM_DEFER fm_close(s);
    await fm_write(s, &c, 1);
}

async int hear(fm_listener *l)
{
    char c;
    int sum = 0;
    for (int i = 0; i < CLIENTS; i++) {
        fm_stream *s = await fm_accept(l);
        await fm_sleep(FM_US(100));
        await fm_read_exact(s, &c, 1);
        sum += c - 'a';
        fm_close(s);
    }
    return sum;
}

async void meet(const char *path)
{
    FM_TASK(void) tasks[CLIENTS];
    fm_listener *l = await fm_unix_listen(path, 1);
    for (int i = 0; i < CLIENTS; i++)
        tasks[i] = fm_start(say(path, i));
    printf("%d\n", await hear(l));
    for (int i = 0; i < CLIENTS; i++)
        await fm_join(tasks[i]);
    printf("port %d\n", fm_listener_port(l));
    fm_listener_close(l);
}

async int main(void)
{
    char name[64];
    fm_stream *s;
    snprintf(name, sizeof(name), "@fermata-test-%d", (int)getpid());
    await meet(name);
    await meet("socket");
    fm_fault *f = await fm_attempt(&s, fm_unix_connect("socket"));
    printf("%s\n", fm_fault_message(f));
    f = await fm_attempt(&s, fm_unix_connect(""));
    printf("%s\n", fm_fault_message(f));
    return 0;
}

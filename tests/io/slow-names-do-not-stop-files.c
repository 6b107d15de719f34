// Lookups that hang keep neither files nor numeric addresses waiting; a file
// operation that queues is taken back when it is cancelled.
// threads
#include "../rt/ok.h"
#include <fcntl.h>
#include <fermata/io.h>
#include <netdb.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int hanging, writing;
static atomic_bool disk_goes_on;

int getaddrinfo(const char *host, const char *service,
                const struct addrinfo *hints, struct addrinfo **list)
{
    (void)host, (void)service, (void)list;
    if (hints->ai_flags & AI_NUMERICHOST)
        return EAI_NONAME;
    hanging++;
    sleep(1);
    hanging--;
    return EAI_AGAIN;
}

/* In place of the C library's: a slow disk. */
ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
    (void)fd, (void)buf, (void)at;
    writing++;
    while (!disk_goes_on)
        usleep(1000);
    return (ssize_t)n;
}
#pragma weak pwrite64 = pwrite

async void writes(fm_file *f, char *buf)
{
    OK(await fm_file_write(f, buf, 10, 0) == 10);
}

async int main(void)
{
    enum { N = 30 };
    struct addrinfo *list;
    static char buf[N][10];
    FM_TASK(void) names[N], t[N];
    for (int i = 0; i < N; i++)
        names[i] = fm_start(fm_lookup("some.name", NULL, NULL, &list));
    int64_t since = fm_now();
    fm_file *f = await fm_file_open("x", O_RDWR | O_CREAT, 0600);
    await fm_file_sync(f);
    OK(fm_now() - since < FM_MS(900));
    OK(hanging > 0 && hanging <= 8);
    for (int i = 0; i < N; i++)
        t[i] = fm_start(writes(f, buf[i]));
    int cancelled = 0;
    while (writing < 8)
        await fm_sleep(FM_MS(1));
    for (int i = 0; i < N; i++)
        fm_cancel(t[i]);
    await fm_yield();
    disk_goes_on = true;
    for (int i = 0; i < N; i++)
        cancelled += await fm_attempt(NULL, fm_join(t[i])) != NULL;
    OK(cancelled == N - 8); /* those that ran were waited for, and done */
    await fm_file_close(f);
    for (int i = 0; i < N; i++) {
        fm_cancel(names[i]);
        fm_fault *e = await fm_attempt(NULL, fm_join(names[i]));
        OK(e);
    }
    return 0;
}

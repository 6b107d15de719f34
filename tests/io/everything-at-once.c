/* Connections, files, names, blocking calls, sleeps and computations on the
 * pool, cut off and timed out at random, all end, with their results. */
// threads
// time: 60
#include <errno.h>
#include <fcntl.h>
#include <fermata.h>
#include <fermata/io.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_long ops[6];
static int port;
static unsigned
next(unsigned *s)
{
    *s = *s * 1664525u + 1013904223u;
    return *s >> 16;
}

async void
serve(fm_stream *s)
{
    char buf[512];
    size_t n;
    FM_DEFER fm_close(s);
    fm_fault *f;
    fm_try {
        while ((n = await fm_read(s, buf, sizeof buf)) > 0)
            await fm_write(s, buf, n);
    } fm_catch (f) {
        return; /* the client was cut off */
    }
}

async void
accept_all(fm_listener *l)
{
    for (;;)
        fm_detach(serve(await fm_accept(l)));
}

async int
net(unsigned seed)
{
    char out[64], in[64];
    memset(out, 5, sizeof out);
    fm_stream *s = await fm_tcp_connect("localhost", port);
    FM_DEFER fm_close(s);
    for (unsigned i = 0; i < 1 + next(&seed) % 5; i++) {
        await fm_write(s, out, sizeof out);
        if (await fm_read_exact(s, in, sizeof in) != sizeof in ||
            memcmp(in, out, sizeof in))
            abort();
    }
    return 1;
}

async int
file(unsigned seed)
{
    char buf[4096];
    fm_file *f = await fm_file_open(
        next(&seed) % 8 ? "/etc/passwd" : "/nonexistent", O_RDONLY, 0);
    FM_DEFER await fm_file_close(f);
    long n = 0;
    size_t k;
    while ((k = await fm_file_read(f, buf, sizeof buf, n)) > 0)
        n += (long)k;
    return (int)n;
}

async int
name(unsigned seed)
{
    struct addrinfo *list;
    (void)seed;
    await fm_lookup("localhost", "80", NULL, &list);
    fm_lookup_free(list);
    return 1;
}

static int
snooze(int us)
{
    usleep((unsigned)us);
    return us;
}

async int
call(unsigned seed)
{
    return await fm_blocking(snooze((int)(next(&seed) % 300)));
}

async int
sleeps(unsigned seed)
{
    await fm_sleep(FM_US(next(&seed) % 2000));
    return 1;
}

async int
cpu(unsigned seed)
{
    volatile unsigned x = 0;
    for (unsigned i = 0; i < next(&seed) % 20000; i++)
        x += i;
    await fm_yield();
    return 1;
}

async int
job(unsigned seed)
{
    unsigned k = next(&seed) % 6;
    int r;
    switch (k) {
    case 0:
        r = await net(next(&seed));
        break;
    case 1:
        r = await file(next(&seed));
        break;
    case 2:
        r = await name(next(&seed));
        break;
    case 3:
        r = await call(next(&seed));
        break;
    case 4:
        r = await sleeps(next(&seed));
        break;
    default:
        r = await cpu(next(&seed));
        break;
    }
    atomic_fetch_add(&ops[k], 1);
    return r;
}

async void
one(unsigned seed)
{
    FM_TASK(int) t[6];
    int n = 2 + (int)(next(&seed) % 4);
    int out;
    fm_fault *f = NULL;
    for (int i = 0; i < n; i++)
        t[i] = next(&seed) % 2 ? fm_start_on(fm_pool(), job(next(&seed)))
                               : fm_start(job(next(&seed)));
    switch (next(&seed) % 5) {
    case 0:
        fm_cancel(t[next(&seed) % (unsigned)n]);
        break;
    case 1: {
        fm_with_timeout(FM_US(next(&seed) % 1500));
        f = await fm_attempt(NULL, fm_all(t, (size_t)n));
    }
        if (f)
            for (int i = 0; i < n; i++)
                fm_cancel(t[i]);
        break;
    case 2: {
        size_t w;
        fm_with_timeout(FM_US(next(&seed) % 1500));
        f = await fm_attempt(&w, fm_any(t, (size_t)n));
    } break;
    case 3:
        await fm_yield();
        break;
    }
    for (int i = 0; i < n; i++) {
        f = await fm_attempt(&out, fm_join(t[i]));
        int c = f ? fm_fault_code(f) : 0;
        if (c && c != ECANCELED && c != ENOENT && c != ETIMEDOUT) {
            fprintf(stderr, "fault %d %s\n", c, fm_fault_message(f));
            abort();
        }
    }
}

async void
worker(unsigned seed, int64_t end)
{
    while (fm_now() < end)
        await one(next(&seed));
}

/* Several workers, however many cores there are. */
__attribute__((constructor)) static void
size_of_pool(void)
{
    setenv("FERMATA_POOL", "3", 0);
}

enum { WORKERS = 16 };

async int
main(int argc, char **argv)
{
    int64_t end = fm_now() + FM_MS(argc > 1 ? atoi(argv[1]) : 1500);
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    fm_listener *l = await fm_tcp_listen("localhost", 0, 256);
    FM_TASK(void) server, t[WORKERS];

    port = fm_listener_port(l);
    server = fm_start_on(fm_pool(), accept_all(l));
    for (int i = 0; i < WORKERS; i++)
        t[i] = fm_start_on(fm_pool(), worker(seed * 100 + (unsigned)i, end));
    for (int i = 0; i < WORKERS; i++)
        await fm_join(t[i]);
    fm_cancel(server);
    fm_fault *f = await fm_attempt(NULL, fm_join(server));
    fm_listener_close(l);
    for (int i = 0; i < 6; i++)
        if (!ops[i])
            printf("kind %d: none\n", i);
    printf("server %s\n", f ? fm_fault_message(f) : "ended");
    return 0;
}

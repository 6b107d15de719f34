// Files, names, sockets, channels, groups and cancellation, on the pool and on
// loops, for as long as one likes: all ends right, in flat memory.
// threads
// time: 60
// only: O2 tsan asan
#include "soak.h"
#include <fcntl.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <netdb.h>
#include <stdatomic.h>

enum { WORKERS = 12, KINDS = 5 };
static fm_executor *executors[3];
static FM_CHANNEL(unsigned) numbers;
static atomic_ulong done[KINDS], cancelled, sum_sent, sum_received;
static atomic_bool stop;
static int port;

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 8 & 0xffff;
}

async void file_task(unsigned id)
{
    char name[40], out[3000], in[sizeof out];
    snprintf(name, sizeof name, "f%u", id);
    memset(out, (int)id, sizeof out);
    fm_file *f = await fm_file_open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    FM_DEFER await fm_file_close(f);
    FM_DEFER unlink(name);
    OK(await fm_file_write(f, out, sizeof out, 100) == sizeof out);
    OK(await fm_file_read(f, in, sizeof in, 100) == sizeof in);
    OK(!memcmp(in, out, sizeof in));
}

async void name_task(unsigned how)
{
    struct addrinfo *list = NULL;
    await fm_lookup(how & 1 ? "localhost" : "127.0.0.1", "80", NULL, &list);
    OK(list);
    fm_lookup_free(list);
}

async void socket_task(unsigned how)
{
    char buf[2000];
    size_t n = 1 + how % sizeof buf;
    fm_stream *s = await fm_tcp_connect("127.0.0.1", port);
    FM_DEFER fm_close(s);
    memset(buf, (int)how, n);
    await fm_write(s, buf, n);
    OK(await fm_read_exact(s, buf, n) == n);
    OK((unsigned char)buf[n - 1] == (how & 255));
}

async void channel_task(unsigned how)
{
    await fm_send(numbers, how);
    sum_sent += how;
}

async void sleep_task(unsigned how)
{
    fm_event never = {0};
    await fm_within(FM_US(how % 3000), fm_event_wait(&never));
}

async void one(unsigned kind, unsigned how)
{
    switch (kind) {
    case 0:
        await file_task(how);
        break;
    case 1:
        await name_task(how);
        break;
    case 2:
        await socket_task(how);
        break;
    case 3:
        await channel_task(how);
        break;
    default:
        await sleep_task(how);
    }
    done[kind]++;
}

/* A few at once, one of them cancelled now and then. */
async void some(unsigned *seed, unsigned worker)
{
    FM_TASK(void) t[4];
    for (unsigned i = 0; i < 4; i++) {
        unsigned how = (worker << 4 | i) << 16 | next(seed);
        t[i] = fm_start_on(executors[next(seed) % 3],
                           one(next(seed) % KINDS, how));
    }
    if (next(seed) % 2)
        await fm_sleep(FM_US(next(seed) % 1000));
    if (next(seed) % 3 == 0)
        fm_cancel(t[next(seed) % 4]);
    for (int i = 0; i < 4; i++) {
        fm_fault *f = await fm_attempt(NULL, fm_join(t[i]));
        int code = f ? fm_fault_code(f) : 0;
        if (code && code != ECANCELED && code != ETIMEDOUT) {
            fprintf(stderr, "fault %d: %s\n", code, fm_fault_message(f));
            exit(1);
        }
        cancelled += code == ECANCELED;
    }
}

async void worker(unsigned id)
{
    unsigned seed = id * 7919 + (unsigned)amount("SOAK_SEED", 1);
    while (!stop)
        await some(&seed, id);
}

async void serve(fm_stream *s)
{
    char buf[2048];
    size_t n;
    FM_DEFER fm_close(s);
    while ((n = await fm_read(s, buf, sizeof buf)))
        await fm_write(s, buf, n);
}

/* A client that is cancelled resets its connection: that ends one. */
async void serve_one(fm_stream *s)
{
    fm_fault *f = await fm_attempt(NULL, serve(s));
    OK(!f || fm_fault_code(f) == ECONNRESET || fm_fault_code(f) == EPIPE ||
       fm_fault_code(f) == ECANCELED);
}

async void server(fm_listener *l)
{
    FM_GROUP(connections);
    for (;;)
        fm_group_start(&connections, serve_one(await fm_accept(l)));
}

async void receiver(void)
{
    unsigned value;
    while (await fm_receive(numbers, &value))
        sum_received += value;
}

async void watch(int64_t seconds)
{
    int64_t quarter = FM_S(seconds) / 4;
    await fm_sleep(quarter);
    long early = resident_kib();
    await fm_sleep(quarter * 3);
    long late = resident_kib();
    stop = true;
    printf("%ld KiB, then %ld KiB\n", early, late);
    flat(early, late);
}

async int main(void)
{
    fm_listener *l = await fm_tcp_listen("127.0.0.1", 0, 128);
    port = fm_listener_port(l);
    numbers = fm_channel_new(unsigned, 8);
    executors[0] = fm_loop();
    executors[1] = fm_pool();
    executors[2] = fm_loop_new();
    FM_TASK(void) serving = fm_start(server(l));
    FM_TASK(void) receiving = fm_start_on(fm_pool(), receiver());
    {
        FM_GROUP(workers);
        for (unsigned i = 1; i <= WORKERS; i++)
            fm_group_start(&workers, worker(i));
        await watch(amount("SOAK_S", 3));
        await fm_group_close(&workers);
    }
    fm_channel_close(numbers);
    await fm_join(receiving);
    fm_cancel(serving);
    fm_fault *f = await fm_attempt(NULL, fm_join(serving));
    OK(f);
    OK(sum_sent == sum_received);
    for (int i = 0; i < KINDS; i++)
        OK(i == 4 || done[i] > 0);
    printf("files %lu, names %lu, sockets %lu, sends %lu, cancelled %lu\n",
           done[0], done[1], done[2], done[3], cancelled);
    fm_executor_free(executors[2]);
    fm_listener_close(l);
    return 0;
}

// Tasks that wait for each other in every form, on loops and the pool, are
// cancelled at any moment while two threads dump them all: every one ends,
// and nothing is held that was taken.
// threads
// not: alloc
// time: 60
#include "../rt/ok.h"
#include <fcntl.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <fermata/trace.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EXECUTORS = 3, WORKERS = 6, ROUNDS = 120, PERMITS = 4 };
static fm_executor *executors[EXECUTORS];
static atomic_bool stop;
static atomic_int inside;
static fm_mutex mutex = FM_MUTEX_INIT;
static fm_sem sem;
static fm_event event;
static FM_CHANNEL(long) direct, queue;
static long guarded;

static unsigned next(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 8 & 0xffff;
}

async int any_form(unsigned seed, int depth);

async void child(unsigned seed, int depth)
{
    await any_form(seed, depth);
}

static int adds(int a)
{
    if (a % 7 == 0)
        usleep((unsigned)a % 300);
    return a + 1;
}

/* A bare wait that another thread ends. */
static void *wakes(void *waiter)
{
    fm_resume(waiter);
    return NULL;
}

static void arm(fm_waiter *waiter, void *arg)
{
    pthread_t thread;
    (void)arg;
    if (pthread_create(&thread, NULL, wakes, waiter))
        fm_resume(waiter);
    else
        pthread_detach(thread);
}

async void locks(unsigned seed)
{
    fm_with_lock(&mutex);
    long before = guarded;
    if (seed & 16)
        await fm_yield();
    guarded = before + 1;
}

async void permits(unsigned seed)
{
    size_t n = 1 + (seed >> 4) % 3;
    await fm_sem_wait(&sem, n);
    FM_DEFER fm_sem_post(&sem, n);
    inside += (int)n;
    FM_DEFER inside -= (int)n;
    OK(inside <= PERMITS);
    if (seed & 32)
        await fm_sleep(FM_US(20));
}

async void channels(unsigned seed)
{
    long value;
    fm_with_timeout(FM_US(300));
    if (seed & 1)
        await fm_send(seed & 2 ? direct : queue, 1);
    else
        await fm_receive(seed & 2 ? direct : queue, &value);
}

async void selects(unsigned seed)
{
    long a, b;
    await fm_select(FM_US(seed % 200), FM_RECEIVE(direct, &a, NULL),
                    FM_SEND(queue, 2), FM_RECEIVE(queue, &b, NULL),
                    FM_SEND(direct, 3));
}

async void groups(unsigned seed, int depth)
{
    FM_GROUP(g);
    for (unsigned n = next(&seed) % 4; n; n--)
        fm_group_start(&g, child(next(&seed) * 77 + n, depth));
    if (seed & 128)
        await fm_group_close(&g);
}

async void firsts(unsigned seed, int depth)
{
    FM_TASK(int) t[3];
    for (int i = 0; i < 3; i++)
        t[i] = fm_start_on(executors[next(&seed) % EXECUTORS],
                           any_form(next(&seed), depth));
    fm_fault *f = await fm_attempt(NULL, fm_any(t, 3));
    for (int i = 0; i < 3; i++)
        fm_cancel(t[i]);
    for (int i = 0; i < 3; i++)
        f = await fm_attempt(NULL, fm_join(t[i]));
    (void)f;
}

async void streams(void)
{
    int pair[2];
    char c = 1;
    OK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    fm_stream *a = fm_stream_open(pair[0]), *b = fm_stream_open(pair[1]);
    FM_DEFER fm_close(a);
    FM_DEFER fm_close(b);
    await fm_write(a, &c, 1);
    OK(await fm_read(b, &c, 1) == 1);
}

async void files(void)
{
    char buf[64];
    fm_file *f = await fm_file_open("/proc/self/stat", O_RDONLY, 0);
    FM_DEFER await fm_file_close(f);
    await fm_file_read(f, buf, sizeof buf, 0);
}

async void is_late(unsigned seed)
{
    fm_with_timeout(FM_US(seed % 300));
    await fm_event_wait(&event);
}

async int any_form(unsigned seed, int depth)
{
    switch (next(&seed) % 14 - (depth > 2 ? 2 : 0)) {
    case 0:
        await fm_yield();
        break;
    case 1:
        await fm_sleep(FM_US(next(&seed) % 500));
        break;
    case 2:
        OK(await fm_blocking(adds(seed & 1023)) == (int)(seed & 1023) + 1);
        break;
    case 3:
        await locks(seed);
        break;
    case 4:
        await permits(seed);
        break;
    case 5:
        await is_late(next(&seed));
        break;
    case 6:
        await channels(next(&seed));
        break;
    case 7:
        await selects(next(&seed));
        break;
    case 8:
        await fm_switch(executors[next(&seed) % EXECUTORS]);
        await fm_yield();
        break;
    case 9:
        await fm_suspend(arm, NULL);
        break;
    case 10:
        await files();
        break;
    case 11:
        await streams();
        break;
    case 12:
        await groups(seed, depth + 1);
        break;
    case 13:
        await firsts(seed, depth + 1);
        break;
    }
    return 1;
}

async void worker(unsigned seed)
{
    enum { SOME = 6 };
    FM_TASK(int) t[SOME];
    for (int round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < SOME; i++)
            t[i] = fm_start_on(executors[next(&seed) % EXECUTORS],
                               any_form(next(&seed) * 31 + i, 0));
        for (unsigned n = next(&seed) % 4; n; n--)
            fm_cancel(t[next(&seed) % SOME]);
        for (int i = 0; i < SOME; i++) {
            fm_fault *f = await fm_attempt(NULL, fm_join(t[i]));
            OK(!f || fm_fault_code(f) == ECANCELED ||
               fm_fault_code(f) == ETIMEDOUT);
        }
    }
}

static void *dumps(void *out)
{
    struct fm_stats stats;
    while (!atomic_load(&stop)) {
        fm_dump(out);
        fm_stats(&stats);
        usleep(500);
    }
    return NULL;
}

static void quiet(fm_task *t, fm_fault *f)
{
    (void)t;
    (void)f;
}

__attribute__((constructor)) static void size_of_pool(void)
{
    setenv("FERMATA_POOL", "3", 0);
}

async int main(void)
{
    FILE *out = fopen("/dev/null", "w");
    FM_TASK(void) t[WORKERS];
    struct fm_stats stats;
    pthread_t thread;

    fm_sem_init(&sem, PERMITS);
    fm_event_init(&event);
    direct = fm_channel_new(long, 0);
    queue = fm_channel_new(long, 8);
    executors[0] = fm_loop();
    executors[1] = fm_pool();
    executors[2] = fm_loop_new();
    fm_on_unobserved(quiet);
    OK(!pthread_create(&thread, NULL, dumps, out));
    for (unsigned i = 0; i < WORKERS; i++)
        t[i] = fm_start(worker(i * 7919 + 17));
    for (int i = 0; i < WORKERS; i++) {
        while (fm_status(t[i]) == FM_RUNNING) {
            await fm_sleep(FM_MS(1));
            fm_dump(out);
        }
        await fm_join(t[i]);
    }
    do { /* those whose starter was cancelled too */
        await fm_sleep(FM_MS(1));
        fm_stats(&stats);
    } while (stats.tasks > 1);
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    fclose(out);
    OK(inside == 0 && fm_sem_try(&sem, PERMITS) && fm_try_lock(&mutex));
    fm_channel_release(direct);
    fm_channel_release(queue);
    fm_executor_free(executors[2]);
    return 0;
}

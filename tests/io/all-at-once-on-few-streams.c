// Tasks on three loops read, write, half-close, cancel and close the same few
// streams at random: each operation ends, and none is lost or ends twice.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
// threads
// time: 60

enum { STREAMS = 4, TASKS = 12, ROUNDS = 150, ENDS = 2 * STREAMS };

struct end {
    pthread_mutex_t lock; /* of s; recursive: an operation that begins or a
                             close may resume others here */
    fm_stream *s;
    int users;
};
static struct end ends[ENDS];
static atomic_int started, ended, odd;

static void
give_back(struct end *e)
{
    pthread_mutex_lock(&e->lock);
    e->users--;
    pthread_mutex_unlock(&e->lock);
}

static void
renew(int pair)
{
    int fd[2];
    struct end *a = &ends[2 * pair], *b = a + 1;
    pthread_mutex_lock(&a->lock);
    pthread_mutex_lock(&b->lock);
    if (!a->users && !b->users) {
        fm_close(a->s);
        fm_close(b->s);
        socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
        a->s = fm_stream_open(fd[0]);
        b->s = fm_stream_open(fd[1]);
    }
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_unlock(&a->lock);
}

static void
close_end(struct end *e)
{
    pthread_mutex_lock(&e->lock);
    fm_stream *s = e->s;
    e->s = NULL;
    fm_close(s);
    pthread_mutex_unlock(&e->lock);
}

async void operate(fm_stream *s, unsigned what)
{
    static char big[200000];
    char small[100];
    switch (what % 6) {
    case 0: await fm_read(s, small, sizeof(small)); break;
    case 1: await fm_read_exact(s, small, sizeof(small)); break;
    case 2: await fm_read_until(s, small, sizeof(small), 'x'); break;
    case 3: await fm_write(s, "abcxyz", 6); break;
    case 4: await fm_write(s, big, sizeof(big)); break;
    case 5: await fm_write_some(s, big, 5000); break;
    }
}

async void use(struct end *e, fm_stream *s, unsigned r)
{
    fm_fault *f;
    started++;
    fm_try {
        await fm_within(FM_US(r % 400), operate(s, r >> 10));
    }
    fm_catch (f) {
        int code = fm_fault_code(f);
        odd += code != ETIMEDOUT && code != ECANCELED && code != EPIPE &&
               code != ECONNRESET;
    }
    ended++;
    give_back(e);
}

/* The operation begins under the lock: none begins after the close. */
async void use_if_open(struct end *e, unsigned r)
{
    FM_TASK(void) t = NULL;
    pthread_mutex_lock(&e->lock);
    if (e->s) {
        e->users++;
        t = fm_start(use(e, e->s, r));
    }
    pthread_mutex_unlock(&e->lock);
    if (t)
        await fm_join(t);
    else
        renew((int)(e - ends) / 2);
}

async void play(unsigned seed)
{
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 1103515245 + 12345;
        unsigned r = seed >> 4;
        struct end *e = &ends[r % ENDS];
        if (r % 64 == 0)
            close_end(e);
        else
            await use_if_open(e, r / 8);
        if (r % 16 == 5)
            await fm_yield();
    }
}

async int main(void)
{
    fm_executor *on[3] = {fm_loop(), fm_loop_new(), fm_loop_new()};
    FM_TASK(void) tasks[TASKS];
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    for (int i = 0; i < ENDS; i++)
        pthread_mutex_init(&ends[i].lock, &recursive);
    for (int i = 0; i < STREAMS; i++)
        renew(i);
    for (int i = 0; i < TASKS; i++)
        tasks[i] = fm_start_on(on[i % 3], play((unsigned)i + 1));
    for (int i = 0; i < TASKS; i++)
        await fm_join(tasks[i]);
    printf("%s, %d odd\n", started == ended ? "all ended" : "some did not",
           odd);
    for (int i = 0; i < ENDS; i++)
        fm_close(ends[i].s);
    fm_executor_free(on[1]);
    fm_executor_free(on[2]);
    return 0;
}

// A task on a user's executor that knows no timers sleeps, reads, writes and
// runs into time limits there, and always goes on on the executor's thread.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
// threads

struct gui {
    pthread_mutex_t lock;
    pthread_cond_t more;
    fm_job *first, **last;
    bool quit;
    pthread_t thread;
};

static void
gui_post(void *arg, fm_job *job)
{
    struct gui *g = arg;
    pthread_mutex_lock(&g->lock);
    job->next = NULL;
    *g->last = job;
    g->last = &job->next;
    pthread_cond_signal(&g->more);
    pthread_mutex_unlock(&g->lock);
}

static void *
gui_run(void *arg)
{
    struct gui *g = arg;
    pthread_mutex_lock(&g->lock);
    while (!g->quit || g->first) {
        fm_job *job = g->first;
        if (!job) {
            pthread_cond_wait(&g->more, &g->lock);
            continue;
        }
        if (!(g->first = job->next))
            g->last = &g->first;
        pthread_mutex_unlock(&g->lock);
        fm_job_run(job);
        pthread_mutex_lock(&g->lock);
    }
    pthread_mutex_unlock(&g->lock);
    return NULL;
}

static int elsewhere;

static void
check_thread(struct gui *g)
{
    elsewhere += !pthread_equal(pthread_self(), g->thread);
}

async void feed(fm_stream *s)
{
    for (int i = 0; i < 50; i++) {
        await fm_sleep(FM_US(200));
        await fm_write(s, "tick", 4);
    }
}

async int visit(struct gui *g)
{
    int fd[2], got = 0, late = 0;
    char buf[4];
    size_t n;
    socketpair(AF_UNIX, SOCK_STREAM, 0, fd);
    fm_stream *s = fm_stream_open(fd[0]), *other = fm_stream_open(fd[1]);
    FM_TASK(void) feeder = fm_start(feed(other));
    for (int i = 0; i < 50; i++) {
        got += (int)await fm_read_exact(s, buf, 4);
        check_thread(g);
        await fm_sleep(FM_US(50));
        check_thread(g);
    }
    await fm_join(feeder);
    for (int i = 0; i < 50; i++) {
        fm_fault *f;
        fm_try {
            n = await fm_within(FM_US(100), fm_read(s, buf, 4));
            got += (int)n;
        }
        fm_catch (f) {
            late += fm_fault_code(f) == ETIMEDOUT;
        }
        check_thread(g);
    }
    fm_close(s);
    fm_close(other);
    return got * 1000 + late;
}

int
main(void)
{
    static const fm_executor_vtable vtable = {.post = gui_post};
    struct gui g = {.lock = PTHREAD_MUTEX_INITIALIZER,
                    .more = PTHREAD_COND_INITIALIZER};
    g.last = &g.first;
    fm_executor *ex = fm_executor_new(&vtable, &g);
    pthread_create(&g.thread, NULL, gui_run, &g);
    FM_TASK(int) t = fm_start_on(ex, visit(&g));
    int got = fm_wait_task(t);
    fm_release(t);
    pthread_mutex_lock(&g.lock);
    g.quit = true;
    pthread_cond_signal(&g.more);
    pthread_mutex_unlock(&g.lock);
    pthread_join(g.thread, NULL);
    fm_executor_free(ex);
    printf("%d, %d times elsewhere\n", got, elsewhere);
    return 0;
}

// uv_run serves libuv's timers and sockets and async functions on one thread;
// jobs come from other threads; it ends when neither has anything left.
// not: msan
// flags: -luv
// threads
#include "../rt/ok.h"
#include <fermata/uv.h>
#include <fermata/io.h>
#include <pthread.h>

static fm_executor *executor;
static pthread_t uv_thread;
static int echoed, ticks, posted, slept;

/* ---- a libuv TCP server that sends back ---- */

static void on_alloc(uv_handle_t *h, size_t n, uv_buf_t *buf)
{
    (void)h;
    *buf = uv_buf_init(malloc(n), (unsigned)n);
}

static void on_written(uv_write_t *w, int status)
{
    OK(status == 0);
    free(w->data);
    free(w);
}

static void on_closed(uv_handle_t *h)
{
    free(h);
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
    if (n <= 0) {
        free(buf->base);
        uv_close((uv_handle_t *)s, on_closed);
        return;
    }
    uv_write_t *w = malloc(sizeof *w);
    uv_buf_t back = uv_buf_init(buf->base, (unsigned)n);
    w->data = buf->base;
    echoed += (int)n;
    uv_write(w, s, &back, 1, on_written);
}

static void on_connection(uv_stream_t *server, int status)
{
    OK(status == 0);
    uv_tcp_t *c = malloc(sizeof *c);
    uv_tcp_init(server->loop, c);
    OK(!uv_accept(server, (uv_stream_t *)c));
    uv_read_start((uv_stream_t *)c, on_alloc, on_read);
}

static void on_tick(uv_timer_t *t)
{
    if (++ticks == 5)
        uv_timer_stop(t);
}

/* ---- async functions beside it ---- */

async void client(int port, uv_handle_t *server)
{
    char buf[1000];
    OK(fm_executor_self() == executor);
    fm_stream *s = await fm_tcp_connect("127.0.0.1", port);
    for (int i = 0; i < 20; i++) {
        memset(buf, 'a' + i, sizeof buf);
        await fm_write(s, buf, sizeof buf);
        OK(await fm_read_exact(s, buf, sizeof buf) == sizeof buf);
        OK(buf[999] == 'a' + i && pthread_equal(pthread_self(), uv_thread));
    }
    fm_close(s);
    uv_close(server, NULL);
}

async void sleeper(int64_t ns)
{
    int64_t since = fm_now();
    await fm_sleep(ns);
    OK(fm_now() - since >= ns);
    slept++;
}

async int from_elsewhere(int n)
{
    OK(pthread_equal(pthread_self(), uv_thread));
    await fm_yield();
    posted++;
    return n + 1;
}

static void *other_thread(void *arg)
{
    for (int i = 0; i < 100; i++) {
        FM_TASK(int) t = fm_start_on(executor, from_elsewhere(i));
        OK(fm_wait_task(t) == i + 1);
        fm_release(t);
    }
    return arg;
}

static void start_in_callback(uv_timer_t *t)
{
    fm_detach(sleeper(FM_US(1500)));
    fm_detach(sleeper(1));
    uv_close((uv_handle_t *)t, NULL);
}

static void on_keep(uv_timer_t *t)
{
    if (posted == 100)
        uv_close((uv_handle_t *)t, NULL);
}

int main(void)
{
    uv_loop_t loop;
    uv_tcp_t server;
    uv_timer_t timer, once, keeper;
    struct sockaddr_in at;
    int size = sizeof at;
    pthread_t thread;
    OK(!uv_loop_init(&loop));
    uv_thread = pthread_self();
    executor = fm_uv_executor(&loop);
    OK(executor && fm_uv_executor(&loop) == executor);
    uv_tcp_init(&loop, &server);
    uv_ip4_addr("127.0.0.1", 0, &at);
    OK(!uv_tcp_bind(&server, (struct sockaddr *)&at, 0));
    OK(!uv_listen((uv_stream_t *)&server, 5, on_connection));
    uv_tcp_getsockname(&server, (struct sockaddr *)&at, &size);
    uv_timer_init(&loop, &timer);
    uv_timer_start(&timer, on_tick, 1, 1);
    uv_timer_init(&loop, &once);
    uv_timer_start(&once, start_in_callback, 2, 0);
    fm_detach(client(ntohs(at.sin_port), (uv_handle_t *)&server));
    fm_detach(sleeper(FM_MS(30))); /* uv_run goes on for it */
    OK(!pthread_create(&thread, NULL, other_thread, NULL));
    uv_timer_init(&loop, &keeper); /* for what comes from elsewhere */
    uv_timer_start(&keeper, on_keep, 1, 1);
    uv_run(&loop, UV_RUN_DEFAULT);
    OK(posted == 100);
    pthread_join(thread, NULL);
    OK(echoed == 20000 && ticks == 5 && slept == 3);
    uv_close((uv_handle_t *)&timer, NULL);
    fm_uv_executor_end(&loop);
    uv_run(&loop, UV_RUN_DEFAULT);
    OK(!uv_loop_close(&loop));
    return 0;
}

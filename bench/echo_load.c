/* echo_load.c: s11, the load: CONNS connections of 64 bytes there and back.
 *
 *   echo_load PORT SERVER_PID CONNS SECONDS SAMPLES
 *
 * Prints for each sample the requests a second and the server's processor
 * time for each, read from the server's own clock, so that neither depends
 * on what else runs. Every answer's bytes are compared.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 64, CONNS_MAX = 1024 };

struct conn {
    int fd;
    int got;
    char want[BYTES], buf[BYTES];
};

static struct conn conns[CONNS_MAX];
static clockid_t server_clock;

static void
check(int ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    exit(1);
}

static double
seconds(clockid_t clock)
{
    struct timespec t;
    check(!clock_gettime(clock, &t), "clock_gettime");
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void
ask(struct conn *c)
{
    c->got = 0;
    c->want[0]++;
    check(send(c->fd, c->want, BYTES, MSG_NOSIGNAL) == BYTES, "send");
}

static void
conn_open(int epoll, int i, int port)
{
    struct conn *c = &conns[i];
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    check(c->fd >= 0, "socket");
    check(!connect(c->fd, (struct sockaddr *)&a, sizeof a), "connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
    check(!epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &e), "epoll_ctl");
    memset(c->want, 'a' + i % 26, BYTES);
    ask(c);
}

/* Takes what has arrived; the next request follows a whole answer. */
static int
answer(struct conn *c)
{
    ssize_t n = recv(c->fd, c->buf + c->got, (size_t)(BYTES - c->got), 0);
    check(n > 0, "recv");
    c->got += (int)n;
    if (c->got < BYTES)
        return 0;
    check(!memcmp(c->buf, c->want, BYTES), "the echo differs");
    ask(c);
    return 1;
}

static void
drive(int epoll, double span, int report)
{
    double start = seconds(CLOCK_MONOTONIC), used = seconds(server_clock);
    double now = start;
    long requests = 0;
    while (now - start < span) {
        struct epoll_event e[128];
        int n = epoll_wait(epoll, e, 128, 1000);
        check(n > 0, "no answer for a second");
        for (int i = 0; i < n; i++)
            requests += answer(e[i].data.ptr);
        now = seconds(CLOCK_MONOTONIC);
    }
    used = seconds(server_clock) - used;
    if (report)
        printf("rate %.0f\nsample %.5f\n", (double)requests / (now - start),
               used * 1e6 / (double)requests);
}

/* Takes the last answer and leaves, so that no server sees a reset. */
static void
conn_close(struct conn *c)
{
    while (c->got < BYTES) {
        ssize_t n = recv(c->fd, c->buf + c->got, (size_t)(BYTES - c->got), 0);
        check(n > 0, "recv");
        c->got += (int)n;
    }
    close(c->fd);
}

int
main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: echo_load PORT PID CONNS SECONDS SAMPLES\n");
        return 2;
    }
    int port = atoi(argv[1]), n = atoi(argv[3]), samples = atoi(argv[5]);
    double span = strtod(argv[4], NULL);
    check(n > 0 && n <= CONNS_MAX, "connections");
    check(!clock_getcpuclockid(atoi(argv[2]), &server_clock), "server pid");
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    check(epoll >= 0, "epoll_create1");
    for (int i = 0; i < n; i++)
        conn_open(epoll, i, port);
    drive(epoll, span / 2, 0);
    for (int i = 0; i < samples; i++)
        drive(epoll, span, 1);
    for (int i = 0; i < n; i++)
        conn_close(&conns[i]);
    return 0;
}

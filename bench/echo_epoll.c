/* echo_epoll.c: s11, the server as one writes it over epoll by hand.
 *
 * One thread, edge triggered, reads until the socket is empty and answers at
 * once. Prints its port and serves until it is killed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void
check(int ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    exit(1);
}

static int
listen_loopback(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    check(fd >= 0, "socket");
    check(!bind(fd, (struct sockaddr *)&a, sizeof a), "bind");
    check(!listen(fd, 128), "listen");
    check(!getsockname(fd, (struct sockaddr *)&a, &size), "getsockname");
    printf("%d\n", ntohs(a.sin_port));
    fflush(stdout);
    return fd;
}

static void
watch(int epoll, int fd)
{
    struct epoll_event e = {.events = EPOLLIN | EPOLLET | EPOLLRDHUP,
                            .data.fd = fd};
    check(!epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e), "epoll_ctl");
}

static void
accept_all(int epoll, int listener)
{
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
        if (fd < 0)
            return;
        int one = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        watch(epoll, fd);
    }
}

/* A short read has emptied the socket: no second system call to learn it. */
static void
serve(int fd)
{
    char buf[4096];
    for (;;) {
        ssize_t n = recv(fd, buf, sizeof buf, 0);
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0 || send(fd, buf, (size_t)n, MSG_NOSIGNAL) != n) {
            close(fd);
            return;
        }
        if (n < (ssize_t)sizeof buf)
            return;
    }
}

int
main(void)
{
    int listener = listen_loopback();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    check(epoll >= 0, "epoll_create1");
    watch(epoll, listener);
    for (;;) {
        struct epoll_event e[128];
        int n = epoll_wait(epoll, e, 128, -1);
        for (int i = 0; i < n; i++) {
            if (e[i].data.fd == listener)
                accept_all(epoll, listener);
            else
                serve(e[i].data.fd);
        }
    }
}

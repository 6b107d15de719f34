/* socket.c: how connections are made and accepted.
 *
 * Addresses are numeric, so nothing here waits but connect and accept.
 */
#include <errno.h>
#include <fermata/io.h>
#include <io/stream.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FULL_NS FM_MS(20) /* between two tries when a limit is reached */

struct address {
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
        struct sockaddr_un un;
    } to;
    socklen_t size;
};

/* ---- addresses: 0 or an errno value ---- */

static int
tcp_address(struct address *a, const char *host, int port, bool listen)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
    char service[16];
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    if (port < 0 || port > 65535)
        return EINVAL;
    if (host && !strcmp(host, "localhost"))
        host = "127.0.0.1";
    if (!host)
        host = listen ? "::" : "127.0.0.1";
    snprintf(service, sizeof(service), "%d", port);
    int error = getaddrinfo(host, service, &hints, &list);
    if (error)
        return error == EAI_MEMORY ? ENOMEM : EINVAL;
    memcpy(&a->to, list->ai_addr, list->ai_addrlen);
    a->size = list->ai_addrlen;
    freeaddrinfo(list);
    return 0;
}

static int
unix_address(struct address *a, const char *path)
{
    size_t n = strlen(path);
    if (!n || n >= sizeof(a->to.un.sun_path))
        return n ? ENAMETOOLONG : EINVAL;
    memset(&a->to.un, 0, sizeof(a->to.un));
    a->to.un.sun_family = AF_UNIX;
    memcpy(a->to.un.sun_path, path, n);
    a->size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
    if (path[0] == '@')
        a->to.un.sun_path[0] = '\0';
    else
        a->size++;
    return 0;
}

/* ---- sockets: a descriptor, or a negated errno value ---- */

static int
socket_for(const struct address *a)
{
    int fd = socket(a->to.any.sa_family,
                    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return fd < 0 ? -errno : fd;
}

static struct fm__descriptor *
socket_descriptor(int fd, int family)
{
    int one = 1;
    bool tcp = family == AF_INET || family == AF_INET6;
    if (tcp)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    struct fm__descriptor *d = fm__descriptor_new(fd, true, tcp);
    if (!d)
        close(fd);
    return d;
}

static int
listen_at(const struct address *a, int backlog)
{
    int one = 1, zero = 0, fd = socket_for(a);
    if (fd < 0)
        return fd;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (a->to.any.sa_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
    if (!bind(fd, &a->to.any, a->size) && !listen(fd, backlog))
        return fd;
    int error = errno;
    close(fd);
    return -error;
}

/* ---- listening ---- */

/* Null with errno. */
static fm_listener *
listener_new(const struct address *a, int backlog)
{
    int fd = listen_at(a, backlog);
    if (fd < 0) {
        errno = -fd;
        return NULL;
    }
    struct fm__descriptor *d = fm__descriptor_new(fd, true, false);
    if (!d)
        close(fd);
    return (fm_listener *)d;
}

static fm_listener *
tcp_listener_new(const char *host, int port, int backlog)
{
    struct address a;
    errno = tcp_address(&a, host, port, true);
    if (errno)
        return NULL;
    fm_listener *l = listener_new(&a, backlog);
    if (l || host || errno != EAFNOSUPPORT)
        return l;
    /* No IPv6 here: every address of IPv4. */
    errno = tcp_address(&a, "0.0.0.0", port, true);
    return errno ? NULL : listener_new(&a, backlog);
}

fm_async fm_listener *
fm_tcp_listen(const char *host, int port, int backlog)
{
    fm_await fm_raise_cancelled();
    fm_listener *l = tcp_listener_new(host, port, backlog);
    if (!l)
        fm_await fm__raise(errno, "fm_tcp_listen");
    return l;
}

static fm_listener *
unix_listener_new(const char *path, int backlog)
{
    struct address a;
    errno = unix_address(&a, path);
    return errno ? NULL : listener_new(&a, backlog);
}

fm_async fm_listener *
fm_unix_listen(const char *path, int backlog)
{
    fm_await fm_raise_cancelled();
    fm_listener *l = unix_listener_new(path, backlog);
    if (!l)
        fm_await fm__raise(errno, "fm_unix_listen");
    return l;
}

int
fm_listener_port(const fm_listener *l)
{
    struct sockaddr_storage at;
    socklen_t size = sizeof(at);
    if (getsockname(l->d.fd, (struct sockaddr *)&at, &size))
        return 0;
    if (at.ss_family == AF_INET)
        return ntohs(((struct sockaddr_in *)&at)->sin_port);
    if (at.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&at)->sin6_port);
    return 0;
}

void
fm_listener_close(fm_listener *l)
{
    if (l)
        fm__descriptor_close(&l->d);
}

/* ---- accepting ---- */

static bool
is_full(ssize_t error)
{
    return error == -EMFILE || error == -ENFILE || error == -ENOBUFS ||
           error == -ENOMEM;
}

/* Of a connection that ended before it was accepted; the next may be good
 * (accept(2), "Error handling"). */
static bool
is_of_the_other_end(int error)
{
    return error == ECONNABORTED || error == EINTR || error == EPROTO ||
           error == ENETDOWN || error == ENOPROTOOPT || error == EHOSTDOWN ||
           error == ENONET || error == EHOSTUNREACH || error == ENETUNREACH;
}

static ssize_t
accept_one(int listener)
{
    int fd;
    do
        fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    while (fd < 0 && is_of_the_other_end(errno));
    return fd < 0 ? -errno : fd;
}

static void
say_full(int error)
{
    static atomic_bool said;
    if (!atomic_exchange(&said, true))
        fprintf(stderr, "fermata: fm_accept waits until there is room: %s\n",
                strerror(error));
}

static ssize_t
try_accept(struct fm__descriptor *d, bool mine)
{
    bool biased = fm__bias_lock(&d->lock);
    ssize_t fd = fm__descriptor_begin(d, FM__IN, mine);
    if (!fd)
        fd = accept_one(d->fd);
    if (is_full(fd)) {
        say_full((int)-fd);
        fd = FM__HOLD;
    }
    return fm__descriptor_end(d, FM__IN, mine, biased, fd);
}

static fm_stream *
accepted(int fd)
{
    struct sockaddr_storage at;
    socklen_t size = sizeof(at);
    at.ss_family = AF_UNSPEC;
    getsockname(fd, (struct sockaddr *)&at, &size);
    return (fm_stream *)socket_descriptor(fd, at.ss_family);
}

/* At a limit: a while later there may be room. */
static fm_async bool
wait_for_room(struct fm__descriptor *d)
{
    if (!fm_await fm__sleep(FULL_NS)) {
        fm__descriptor_leave(d, FM__IN, true);
        fm_await fm_raise_cancelled();
    }
    return true;
}

fm_async fm_stream *
fm_accept(fm_listener *l)
{
    ssize_t fd = fm__must_pause() ? FM__PAUSE : try_accept(&l->d, false);
    while (fd <= FM__WAIT)
        fd = try_accept(&l->d, fd == FM__HOLD ? fm_await wait_for_room(&l->d)
                                              : fm_await fm__descriptor_next(
                                                    &l->d, FM__IN, fd));
    if (fd < 0)
        fm_await fm__raise((int)-fd, "fm_accept");
    fm_stream *s = accepted((int)fd);
    if (!s)
        fm_await fm__raise(ENOMEM, "fm_accept");
    fm_await fm__breathe();
    return s;
}

/* ---- connecting ---- */

/* 0, or a negated errno value; -EAGAIN = still under way. */
static ssize_t
connect_result(int fd)
{
    struct sockaddr_storage at;
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error)
        return -error;
    size = sizeof(at);
    return getpeername(fd, (struct sockaddr *)&at, &size) ? -EAGAIN : 0;
}

static ssize_t
try_connect(struct fm__descriptor *d, bool mine)
{
    bool biased = fm__bias_lock(&d->lock);
    ssize_t got = fm__descriptor_begin(d, FM__OUT, mine);
    if (!got)
        got = connect_result(d->fd);
    return fm__descriptor_end(d, FM__OUT, mine, biased, got);
}

/* A descriptor whose connect has begun, or null with errno. */
static struct fm__descriptor *
connect_begin(const char *host, int port)
{
    struct address a;
    errno = tcp_address(&a, host, port, false);
    if (errno)
        return NULL;
    int fd = socket_for(&a);
    if (fd < 0) {
        errno = -fd;
        return NULL;
    }
    if (connect(fd, &a.to.any, a.size) && errno != EINPROGRESS &&
        errno != EINTR) {
        int error = errno;
        close(fd);
        errno = error;
        return NULL;
    }
    return socket_descriptor(fd, a.to.any.sa_family);
}

fm_async fm_stream *
fm_tcp_connect(const char *host, int port)
{
    ssize_t got;
    fm_await fm_raise_cancelled();
    struct fm__descriptor *d = connect_begin(host, port);
    if (!d)
        fm_await fm__raise(errno, "fm_tcp_connect");
    for (bool mine = false; (got = try_connect(d, mine)) <= FM__WAIT;
         mine = true)
        if (!fm_await fm__descriptor_wait(d, FM__OUT, got)) {
            fm__descriptor_close(d);
            fm_await fm_raise_cancelled();
        }
    if (got) {
        fm__descriptor_close(d);
        fm_await fm__raise((int)-got, "fm_tcp_connect");
    }
    return (fm_stream *)d;
}

/* 0, or a negated errno value; -EAGAIN = the listener's queue is full, of
 * which no event tells the end. */
static int
unix_connect_once(int fd, const char *path)
{
    struct address a;
    int error = unix_address(&a, path);
    if (error)
        return -error;
    return connect(fd, &a.to.any, a.size) ? -errno : 0;
}

/* Null with errno. */
static fm_stream *
unix_stream(int fd, int error)
{
    fm_stream *s = error ? NULL : (fm_stream *)socket_descriptor(fd, AF_UNIX);
    if (error)
        close(fd);
    errno = error ? error : ENOMEM;
    return s;
}

fm_async fm_stream *
fm_unix_connect(const char *path)
{
    int got;
    fm_await fm_raise_cancelled();
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        fm_await fm__raise(errno, "fm_unix_connect");
    while ((got = unix_connect_once(fd, path)) == -EAGAIN)
        if (!fm_await fm__sleep(FM_MS(1))) {
            close(fd);
            fm_await fm_raise_cancelled();
        }
    fm_stream *s = unix_stream(fd, -got);
    if (!s)
        fm_await fm__raise(errno, "fm_unix_connect");
    return s;
}

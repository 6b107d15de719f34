/* socket.c: how connections are made and accepted.
 *
 * A host may have several addresses. They are tried as RFC 8305 has it: the
 * families in turn, the next one when one has failed or is slow, and the first
 * that answers wins.
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
#define SLOW_NS FM_MS(250) /* then another address is tried, too */
enum { TRIES = 16 };       /* addresses of a name that are tried */

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

static struct address
address_of(const struct addrinfo *ai)
{
    struct address a;
    memcpy(&a.to, ai->ai_addr, ai->ai_addrlen);
    a.size = ai->ai_addrlen;
    return a;
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

/* ---- names ---- */

static void
list_free(struct addrinfo **list)
{
    fm_lookup_free(*list);
}

static fm_async struct addrinfo *
addresses(const char *host, int port, const char *what)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    char service[16];
    if (!host[0] || port < 0 || port > 65535)
        fm_await fm__raise(EINVAL, what);
    snprintf(service, sizeof(service), "%d", port);
    hints.ai_flags = AI_NUMERICSERV;
    if (!strcmp(host, "localhost"))
        host = "127.0.0.1";
    fm_await fm_lookup(host, service, &hints, &list);
    return list;
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

/* At the first of the addresses where it works; null with errno. */
static fm_listener *
listen_at_one(const struct addrinfo *list, int backlog)
{
    fm_listener *l = NULL;
    for (; list && !l; list = list->ai_next) {
        struct address a = address_of(list);
        l = listener_new(&a, backlog);
    }
    return l;
}

fm_async fm_listener *
fm_tcp_listen(const char *host, int port, int backlog)
{
    fm_await fm_raise_cancelled();
    FM__CLEANUP(list_free)
    struct addrinfo *list =
        fm_await addresses(host ? host : "::", port, "fm_tcp_listen");
    fm_listener *l = listen_at_one(list, backlog);
    if (!l && !host && errno == EAFNOSUPPORT) {
        /* No IPv6 here: every address of IPv4. */
        fm_lookup_free(list);
        list = NULL;
        list = fm_await addresses("0.0.0.0", port, "fm_tcp_listen");
        l = listen_at_one(list, backlog);
    }
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
    bool slept = false;
    fm_fault *f = fm_await fm_attempt(&slept, fm__sleep(FULL_NS));
    if (slept)
        return true;
    fm__descriptor_leave(d, FM__IN, true);
    if (f)
        fm_rethrow(f);
    fm_await fm_raise_cancelled();
    return false;
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
connect_begin(const struct address *a)
{
    int fd = socket_for(a);
    if (fd < 0) {
        errno = -fd;
        return NULL;
    }
    if (connect(fd, &a->to.any, a->size) && errno != EINPROGRESS &&
        errno != EINTR) {
        int error = errno;
        close(fd);
        errno = error;
        return NULL;
    }
    return socket_descriptor(fd, a->to.any.sa_family);
}

static void
shut(struct fm__descriptor **d)
{
    if (*d)
        fm__descriptor_close(*d);
}

static fm_async fm_stream *
connect_to(struct address a)
{
    ssize_t got;
    FM__CLEANUP(shut) struct fm__descriptor *d = connect_begin(&a);
    if (!d)
        fm_await fm__raise(errno, "fm_tcp_connect");
    for (bool mine = false; (got = try_connect(d, mine)) <= FM__WAIT;)
        mine = fm_await fm__descriptor_next(d, FM__OUT, got);
    if (got)
        fm_await fm__raise((int)-got, "fm_tcp_connect");
    struct fm__descriptor *connected = d;
    d = NULL;
    return (fm_stream *)connected;
}

/* ---- connecting to one of several addresses ---- */

struct race {
    struct address to[TRIES]; /* the families in turn */
    int addresses, begun;
    FM_TASK(fm_stream *) running[TRIES];
    size_t runs;
    fm_fault *first; /* of those that failed */
};

static void
order(struct race *r, const struct addrinfo *list)
{
    const struct addrinfo *next[2] = {list, list};
    for (int turn = 0; r->addresses < TRIES && (next[0] || next[1]);
         turn = !turn) {
        const struct addrinfo **at = &next[turn];
        while (*at && ((*at)->ai_family == list->ai_family) == turn)
            *at = (*at)->ai_next;
        if (*at) {
            r->to[r->addresses++] = address_of(*at);
            *at = (*at)->ai_next;
        }
    }
}

/* What it has connected is closed. Without memory it is awaited again: it uses
 * what belongs to the race. */
static fm_async void
loser_end(FM_TASK(fm_stream *) loser)
{
    fm_stream *s = NULL;
    do
        (void)(fm_await fm_attempt(&s, fm_get(loser)));
    while (fm_status(loser) == FM_RUNNING);
    fm_close(s);
    fm_release(loser);
}

/* The losers stop. */
static fm_async void
race_end(struct race *r)
{
    for (size_t i = 0; i < r->runs; i++)
        fm_cancel(r->running[i]);
    while (r->runs)
        fm_await loser_end(r->running[--r->runs]);
    fm_fault_release(r->first);
}

/* One of those that run has ended, or the time is over: then -1. */
static fm_async int
one_ended(struct race *r, int64_t ns)
{
    size_t i = 0;
    fm_with_timeout(ns);
    if (fm_await fm_attempt(&i, fm_any(r->running, r->runs)))
        return -1;
    return (int)i;
}

/* Null: that one has failed. */
static fm_async fm_stream *
outcome(struct race *r, int i)
{
    fm_stream *s = NULL;
    FM_TASK(fm_stream *) ended = r->running[i];
    r->running[i] = r->running[--r->runs];
    fm_fault *f = fm_await fm_attempt(&s, fm_join(ended));
    if (f && !r->first)
        r->first = fm_fault_retain(f);
    return s;
}

static fm_async fm_stream *
connect_race(const struct addrinfo *list)
{
    FM__CLEANUP(race_end) struct race r = {0};
    fm_stream *s = NULL;
    order(&r, list);
    while (!s && (r.runs || r.begun < r.addresses)) {
        if (r.begun < r.addresses) {
            r.running[r.runs] = fm_start(connect_to(r.to[r.begun++]));
            r.runs++;
        }
        int i = fm_await one_ended(&r, r.begun < r.addresses ? SLOW_NS
                                                             : FM_FOREVER);
        if (i >= 0)
            s = fm_await outcome(&r, i);
        else
            fm_await fm_raise_cancelled(); /* if that was the reason */
    }
    if (!s)
        fm_rethrow(r.first);
    return s;
}

fm_async fm_stream *
fm_tcp_connect(const char *host, int port)
{
    fm_await fm_raise_cancelled();
    FM__CLEANUP(list_free)
    struct addrinfo *list =
        fm_await addresses(host ? host : "127.0.0.1", port, "fm_tcp_connect");
    if (list->ai_next)
        return fm_await connect_race(list);
    return fm_await connect_to(address_of(list));
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

static void
fd_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

fm_async fm_stream *
fm_unix_connect(const char *path)
{
    int got;
    fm_await fm_raise_cancelled();
    FM__CLEANUP(fd_close)
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        fm_await fm__raise(errno, "fm_unix_connect");
    while ((got = unix_connect_once(fd, path)) == -EAGAIN)
        if (!fm_await fm__sleep(FM_MS(1)))
            fm_await fm_raise_cancelled();
    fm_stream *s = unix_stream(fd, -got);
    fd = -1;
    if (!s)
        fm_await fm__raise(errno, "fm_unix_connect");
    return s;
}

/* stream.c: reads and writes over a descriptor.
 *
 * Each operation is a plain function that tries (see descriptor.h) and an
 * async one that waits between tries. Nothing of an operation needs an
 * address across an await: what a half-done one has moved is counted in the
 * way that it holds.
 */
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <fermata/io.h>
#include <io/stream.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Inlined into an async function's loop, a try spills. */
#define OUT_OF_LINE __attribute__((noinline))
#define AHEAD_LEAST 4096 /* bytes read ahead for fm_read_until */

/* ---- system calls: a count, or a negated errno value ---- */

static ssize_t
receive(struct fm__descriptor *d, void *buf, size_t n)
{
    ssize_t got;
    if (d->file)
        return fm__stored_receive(d, buf, n);
    do
        got = d->side[FM__IN].state & FM__PLAIN
                  ? read(d->fd, buf, n)
                  : recv(d->fd, buf, n, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    if (got < 0) {
        d->reset |= errno == ECONNRESET;
        return -errno;
    }
    /* A write that failed took the news of the reset: this is no end. */
    if (!got && n && d->reset)
        return -ECONNRESET;
    if (got > 0 && (size_t)got < n && d->talks_short && !d->eager)
        d->side[FM__IN].state |= FM__DRAINED;
    return got;
}

/* write(2), but a reader that is gone is only an error. */
static ssize_t
write_quietly(int fd, const void *buf, size_t n)
{
    const struct timespec now = {0, 0};
    sigset_t pipe, old;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &old);
    ssize_t put = write(fd, buf, n);
    int error = errno;
    if (put < 0 && error == EPIPE)
        sigtimedwait(&pipe, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = error;
    return put;
}

static ssize_t
put_some(struct fm__descriptor *d, const void *buf, size_t n)
{
    ssize_t put;
    if (d->file)
        return fm__stored_put(d, buf, n);
    do
        put = d->side[FM__OUT].state & FM__PLAIN
                  ? write_quietly(d->fd, buf, n)
                  : send(d->fd, buf, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (put < 0 && errno == EINTR);
    if (put >= 0)
        return put;
    d->reset |= errno == ECONNRESET;
    return -errno;
}

/* ---- tries ---- */

static size_t
take_ahead(struct fm__descriptor *d, void *buf, size_t n)
{
    size_t have = d->ahead_end - d->ahead_at;
    if (n > have)
        n = have;
    memcpy(buf, d->ahead + d->ahead_at, n);
    d->ahead_at += n;
    if (n == have)
        d->side[FM__IN].state &= ~(unsigned)FM__AHEAD;
    return n;
}

/* The holder has moved so much; `kept` unless it may be lost. */
static void
set_partial(struct fm__side *s, size_t done, const void *kept)
{
    s->progress = done;
    s->partial = kept;
    s->state |= FM__PARTIAL;
}

OUT_OF_LINE static ssize_t
try_read_slow(struct fm__descriptor *d, void *buf, size_t n, bool mine)
{
    bool biased = fm__bias_lock(&d->lock);
    ssize_t got = fm__descriptor_begin(d, FM__IN, mine);
    if ((!got || got == -EAGAIN) && (d->side[FM__IN].state & FM__AHEAD))
        got = (ssize_t)take_ahead(d, buf, n);
    else if (!got)
        got = receive(d, buf, n);
    return fm__descriptor_end(d, FM__IN, mine, biased, got);
}

/* What recv said, when that was not simply some bytes. Unlocks. */
OUT_OF_LINE static ssize_t
read_odd(struct fm__descriptor *d, void *buf, size_t n, bool mine, int got)
{
    ssize_t now = -errno;
    if (!got)
        now = d->reset ? -ECONNRESET : 0;
    else if (now == -EINTR)
        now = receive(d, buf, n);
    d->reset |= now == -ECONNRESET;
    return fm__descriptor_end(d, FM__IN, mine, true, now);
}

/* Of try_read, inside the lock. */
OUT_OF_LINE static ssize_t
read_now(struct fm__descriptor *d, void *buf, size_t n, bool mine)
{
    ssize_t got = recv(d->fd, buf, n, MSG_DONTWAIT);
    if (got <= 0) {
        d->side[FM__IN].state = mine;
        return read_odd(d, buf, n, mine, (int)got);
    }
    d->side[FM__IN].state =
        (size_t)got < n && d->talks_short && !d->eager ? FM__DRAINED : 0;
    fm__bias_unlock(&d->lock, true);
    return got;
}

/* The usual case in few steps: the owner's thread, a socket, nobody else
 * inside, nothing read ahead. */
OUT_OF_LINE static ssize_t
try_read(struct fm__descriptor *d, void *buf, size_t n, bool mine)
{
    struct fm__side *s = &d->side[FM__IN];
    if (!fm__bias_enter(&d->lock))
        return try_read_slow(d, buf, n, mine);
    unsigned state = s->state;
    if (state == FM__DRAINED) {
        s->state = FM__HELD | FM__DRAINED;
        fm__bias_unlock(&d->lock, true);
        return FM__WAIT;
    }
    if ((state & ~(unsigned)(FM__READY | FM__DRAINED)) == mine &&
        state != (FM__DRAINED | FM__HELD))
        return read_now(d, buf, n, mine);
    fm__bias_unlock(&d->lock, true);
    return try_read_slow(d, buf, n, mine);
}

/* Goes on until n bytes are there, or the end. What is there when it must
 * wait or fails is kept for the next read if this one does not go on. */
OUT_OF_LINE static ssize_t
try_read_exact(struct fm__descriptor *d, void *buf, size_t n, bool mine)
{
    struct fm__side *s = &d->side[FM__IN];
    bool biased = fm__bias_lock(&d->lock);
    size_t done = mine && (s->state & FM__PARTIAL) ? s->progress : 0;
    ssize_t got = fm__descriptor_begin(d, FM__IN, mine);
    if ((!got || got == -EAGAIN) && (d->side[FM__IN].state & FM__AHEAD)) {
        done += take_ahead(d, (char *)buf + done, n - done);
        got = done == n ? (ssize_t)n : got;
    }
    while (!got) {
        got = receive(d, (char *)buf + done, n - done);
        if (got <= 0) {
            got = got ? got : (ssize_t)done;
            break;
        }
        done += (size_t)got;
        got = done == n ? (ssize_t)n : 0;
        if (!got && (s->state & FM__DRAINED))
            got = -EAGAIN;
    }
    if (got >= 0)
        s->state &= ~(unsigned)FM__PARTIAL;
    else if (done && got != -EAGAIN && got != FM__HOLD && !mine)
        fm__descriptor_keep(d, buf, done);
    else if (done)
        set_partial(s, done, buf);
    return fm__descriptor_end(d, FM__IN, mine, biased, got);
}

/* Makes room for more and reads it. */
static ssize_t
read_ahead(struct fm__descriptor *d)
{
    size_t have = d->ahead_end - d->ahead_at;
    if (d->ahead_end == d->ahead_size && d->ahead_at) {
        memmove(d->ahead, d->ahead + d->ahead_at, have);
        d->ahead_at = 0;
        d->ahead_end = have;
    }
    if (d->ahead_end == d->ahead_size) {
        size_t size = d->ahead_size ? d->ahead_size * 2 : AHEAD_LEAST;
        char *grown = fm__sys_realloc(d->ahead, size);
        if (!grown)
            return -ENOMEM;
        d->ahead = grown;
        d->ahead_size = size;
    }
    ssize_t got =
        receive(d, d->ahead + d->ahead_end, d->ahead_size - d->ahead_end);
    if (got > 0) {
        d->ahead_end += (size_t)got;
        d->side[FM__IN].state |= FM__AHEAD;
    }
    return got;
}

/* How many bytes fm_read_until has, 0 = not enough yet. */
static size_t
have_until(const struct fm__descriptor *d, size_t n, int delim)
{
    size_t have = d->ahead_end - d->ahead_at;
    if (!have)
        return 0;
    const char *at = d->ahead + d->ahead_at;
    const char *end = memchr(at, delim, have < n ? have : n);
    return end ? (size_t)(end - at) + 1 : have >= n ? n : 0;
}

OUT_OF_LINE static ssize_t
try_read_until(struct fm__descriptor *d, void *buf, size_t n, int delim,
               bool mine)
{
    bool biased = fm__bias_lock(&d->lock);
    ssize_t got = fm__descriptor_begin(d, FM__IN, mine);
    size_t have = got && got != -EAGAIN ? 0 : have_until(d, n, delim);
    while (!got && !have) {
        if (d->side[FM__IN].state & FM__DRAINED) {
            got = -EAGAIN;
            break;
        }
        got = read_ahead(d);
        if (got < 0)
            break;
        have = got ? have_until(d, n, delim) : d->ahead_end - d->ahead_at;
        if (!got)
            break;
        got = 0;
    }
    if (have)
        got = (ssize_t)take_ahead(d, buf, have);
    return fm__descriptor_end(d, FM__IN, mine, biased, got);
}

/* Goes on until all is written, or must wait; `put` is what a first system
 * call has given, or 0. Unlocks. */
static ssize_t
write_on_locked(struct fm__descriptor *d, const void *buf, size_t n, bool mine,
                bool biased, ssize_t put)
{
    struct fm__side *s = &d->side[FM__OUT];
    size_t done = mine && (s->state & FM__PARTIAL) ? s->progress : 0;
    for (;;) {
        done += put > 0 ? (size_t)put : 0;
        if (put < 0 || done == n)
            break;
        put = put_some(d, (const char *)buf + done, n - done);
    }
    if (put >= 0)
        put = (ssize_t)done;
    else if ((put == -EAGAIN || put == FM__HOLD) && done)
        set_partial(s, done, NULL);
    return fm__descriptor_end(d, FM__OUT, mine, biased, put);
}

OUT_OF_LINE static ssize_t
try_write_slow(struct fm__descriptor *d, const void *buf, size_t n, bool mine)
{
    bool biased = fm__bias_lock(&d->lock);
    ssize_t put = fm__descriptor_begin(d, FM__OUT, mine);
    if (put)
        return fm__descriptor_end(d, FM__OUT, mine, biased, put);
    return write_on_locked(d, buf, n, mine, biased, 0);
}

OUT_OF_LINE static ssize_t
write_odd(struct fm__descriptor *d, const void *buf, size_t n, bool mine,
          ssize_t put)
{
    if (put < 0) {
        put = errno == EINTR ? 0 : -errno;
        d->reset |= put == -ECONNRESET;
    }
    return write_on_locked(d, buf, n, mine, true, put);
}

/* As try_read. */
OUT_OF_LINE static ssize_t
try_write(struct fm__descriptor *d, const void *buf, size_t n, bool mine)
{
    struct fm__side *s = &d->side[FM__OUT];
    if (!fm__bias_enter(&d->lock))
        return try_write_slow(d, buf, n, mine);
    if ((s->state & ~(unsigned)FM__READY) != mine) {
        fm__bias_unlock(&d->lock, true);
        return try_write_slow(d, buf, n, mine);
    }
    s->state = mine;
    ssize_t put = send(d->fd, buf, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    if ((size_t)put != n)
        return write_odd(d, buf, n, mine, put);
    s->state = 0;
    fm__bias_unlock(&d->lock, true);
    return put;
}

OUT_OF_LINE static ssize_t
try_write_some(struct fm__descriptor *d, const void *buf, size_t n, bool mine)
{
    bool biased = fm__bias_lock(&d->lock);
    ssize_t put = fm__descriptor_begin(d, FM__OUT, mine);
    if (!put)
        put = put_some(d, buf, n);
    return fm__descriptor_end(d, FM__OUT, mine, biased, put);
}

OUT_OF_LINE static ssize_t
try_shutdown(struct fm__descriptor *d, bool mine)
{
    bool biased = fm__bias_lock(&d->lock);
    ssize_t put = fm__descriptor_begin(d, FM__OUT, mine);
    if (!put || put == -EAGAIN)
        put = d->shut || !shutdown(d->fd, SHUT_WR) ? 0 : -errno;
    d->shut |= !put;
    return fm__descriptor_end(d, FM__OUT, mine, biased, put);
}

/* ---- the operations ----
 *
 * Each is two functions, so that one that succeeds at once is a call and a
 * test: what is carried over a wait is the second's. */

OUT_OF_LINE static ssize_t
read_first(fm_stream *s, void *buf, size_t n)
{
    if (!n)
        return 0;
    return fm__must_pause() ? FM__PAUSE : try_read(&s->d, buf, n, false);
}

OUT_OF_LINE static fm_async size_t
read_on(fm_stream *s, void *buf, size_t n, ssize_t got)
{
    while (got <= FM__WAIT)
        got = try_read(&s->d, buf, n,
                       fm_await fm__descriptor_next(&s->d, FM__IN, got));
    if (got < 0)
        fm_await fm__raise((int)-got, "fm_read");
    fm_await fm__breathe();
    return (size_t)got;
}

fm_async size_t
fm_read(fm_stream *s, void *buf, size_t n)
{
    ssize_t got = read_first(s, buf, n);
    if (got >= 0)
        return (size_t)got;
    return fm_await read_on(s, buf, n, got);
}

OUT_OF_LINE static fm_async size_t
read_exact_on(fm_stream *s, void *buf, size_t n, ssize_t got)
{
    while (got <= FM__WAIT)
        got = try_read_exact(&s->d, buf, n,
                             fm_await fm__descriptor_next(&s->d, FM__IN, got));
    if (got < 0)
        fm_await fm__raise((int)-got, "fm_read_exact");
    fm_await fm__breathe();
    return (size_t)got;
}

fm_async size_t
fm_read_exact(fm_stream *s, void *buf, size_t n)
{
    if (!n)
        return 0;
    ssize_t got =
        fm__must_pause() ? FM__PAUSE : try_read_exact(&s->d, buf, n, false);
    if (got >= 0)
        return (size_t)got;
    return fm_await read_exact_on(s, buf, n, got);
}

OUT_OF_LINE static fm_async size_t
read_until_on(fm_stream *s, void *buf, size_t n, int delim, ssize_t got)
{
    while (got <= FM__WAIT)
        got = try_read_until(&s->d, buf, n, delim,
                             fm_await fm__descriptor_next(&s->d, FM__IN, got));
    if (got < 0)
        fm_await fm__raise((int)-got, "fm_read_until");
    fm_await fm__breathe();
    return (size_t)got;
}

fm_async size_t
fm_read_until(fm_stream *s, void *buf, size_t n, int delim)
{
    if (!n)
        return 0;
    ssize_t got = fm__must_pause()
                      ? FM__PAUSE
                      : try_read_until(&s->d, buf, n, delim, false);
    if (got >= 0)
        return (size_t)got;
    return fm_await read_until_on(s, buf, n, delim, got);
}

OUT_OF_LINE static ssize_t
write_first(fm_stream *s, const void *buf, size_t n)
{
    if (!n)
        return 0;
    return fm__must_pause() ? FM__PAUSE : try_write(&s->d, buf, n, false);
}

OUT_OF_LINE static fm_async size_t
write_on(fm_stream *s, const void *buf, size_t n, ssize_t got)
{
    while (got <= FM__WAIT)
        got =
            got == FM__HOLD
                ? fm_await fm__stored_store(&s->d, buf, n)
                : try_write(&s->d, buf, n,
                            fm_await fm__descriptor_next(&s->d, FM__OUT, got));
    if (got < 0)
        fm_await fm__raise((int)-got, "fm_write");
    fm_await fm__breathe();
    return (size_t)got;
}

fm_async size_t
fm_write(fm_stream *s, const void *buf, size_t n)
{
    ssize_t got = write_first(s, buf, n);
    if (got >= 0)
        return (size_t)got;
    return fm_await write_on(s, buf, n, got);
}

OUT_OF_LINE static fm_async size_t
write_some_on(fm_stream *s, const void *buf, size_t n, ssize_t got)
{
    while (got <= FM__WAIT)
        got = got == FM__HOLD ? fm_await fm__stored_store(&s->d, buf, n)
                              : try_write_some(&s->d, buf, n,
                                               fm_await fm__descriptor_next(
                                                   &s->d, FM__OUT, got));
    if (got < 0)
        fm_await fm__raise((int)-got, "fm_write_some");
    fm_await fm__breathe();
    return (size_t)got;
}

fm_async size_t
fm_write_some(fm_stream *s, const void *buf, size_t n)
{
    if (!n)
        return 0;
    ssize_t got =
        fm__must_pause() ? FM__PAUSE : try_write_some(&s->d, buf, n, false);
    if (got >= 0)
        return (size_t)got;
    return fm_await write_some_on(s, buf, n, got);
}

fm_async void
fm_shutdown(fm_stream *s)
{
    ssize_t got = fm__must_pause() ? FM__PAUSE : try_shutdown(&s->d, false);
    while (got <= FM__WAIT)
        got = try_shutdown(&s->d,
                           fm_await fm__descriptor_next(&s->d, FM__OUT, got));
    if (got < 0)
        fm_await fm__raise((int)-got, "fm_shutdown");
    fm_await fm__breathe();
}

/* ---- opening and closing ---- */

fm_stream *
fm_stream_open(int fd)
{
    struct stat st;
    int domain = 0;
    socklen_t size = sizeof(domain);
    if (fstat(fd, &st))
        return NULL;
    if (S_ISSOCK(st.st_mode)) {
        getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size);
    } else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        int flags = fcntl(fd, F_GETFL);
        if (!(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, flags | O_NONBLOCK))
            return NULL;
    }
    struct fm__descriptor *d = fm__descriptor_new(
        fd, S_ISSOCK(st.st_mode), domain == AF_INET || domain == AF_INET6);
    if (d)
        d->file = S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
    if (d && d->file) {
        /* To those the disk is not a matter of memory: they wait for it. */
        int flags = fcntl(fd, F_GETFL);
        d->slow_read = flags & O_DIRECT;
        d->slow_write = flags & (O_DIRECT | O_DSYNC);
    }
    return (fm_stream *)d;
}

int
fm_stream_fd(const fm_stream *s)
{
    return s->d.fd;
}

void
fm_close(fm_stream *s)
{
    if (!s)
        return;
    fm__standard_forget(s);
    fm__descriptor_close(&s->d);
}

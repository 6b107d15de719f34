/* stored.c: streams over what is stored: files and disks.
 *
 * Such a descriptor is always ready, says the kernel, and then blocks. So the
 * system call asks for what is in memory only (RWF_NOWAIT), and where that
 * is not enough the operation holds its way and the lane for files goes on:
 * it fetches a block to the bytes read ahead, or writes the rest. It works on
 * a duplicate of the descriptor, since a close may come meanwhile.
 */
#include <base/memory.h>
#include <fcntl.h>
#include <io/descriptor.h>
#include <io/lane.h>
#include <io/loop.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define BLOCK 65536

/* A count; FM__HOLD: it would block, or the system does not tell. */
static ssize_t
answer(ssize_t got, bool *slow)
{
    if (got >= 0)
        return got;
    if (errno == EAGAIN || errno == EINTR)
        return FM__HOLD;
    if (errno != EOPNOTSUPP && errno != ENOSYS)
        return -errno;
    *slow = true;
    return FM__HOLD;
}

ssize_t
fm__stored_receive(struct fm__descriptor *d, void *buf, size_t n)
{
    struct iovec part = {buf, n};
    int news = d->news;
    d->news = 0;
    if (news)
        return news == FM__END ? 0 : -news;
    if (d->slow_read)
        return FM__HOLD;
    return answer(preadv2(d->fd, &part, 1, -1, RWF_NOWAIT), &d->slow_read);
}

ssize_t
fm__stored_put(struct fm__descriptor *d, const void *buf, size_t n)
{
    struct iovec part = {(void *)(uintptr_t)buf, n};
    if (d->slow_write)
        return FM__HOLD;
    return answer(pwritev2(d->fd, &part, 1, -1, RWF_NOWAIT), &d->slow_write);
}

/* ---- on the lane ---- */

struct transfer {
    struct fm__errand errand; /* first */
    char *buf;
    size_t n;
    int fd;      /* a duplicate; -1 = none */
    int error;   /* an errno value, if that or the memory failed */
    ssize_t got; /* or a negated errno value */
    bool owns;   /* buf is malloced */
};

static void
run_read(struct fm__errand *e)
{
    struct transfer *t = (struct transfer *)e;
    t->got = read(t->fd, t->buf, t->n);
    if (t->got < 0)
        t->got = -errno;
}

static void
run_write(struct fm__errand *e)
{
    struct transfer *t = (struct transfer *)e;
    size_t done = 0;
    while (done < t->n) {
        ssize_t put = write(t->fd, t->buf + done, t->n - done);
        if (put < 0) {
            t->got = -errno;
            return;
        }
        done += (size_t)put;
    }
    t->got = (ssize_t)done;
}

static void
transfer_end(struct transfer *t)
{
    if (t->fd >= 0)
        close(t->fd);
    if (t->owns)
        fm__sys_free(t->buf);
}

static bool
is_closed(struct fm__descriptor *d)
{
    return d->side[FM__IN].state & FM__CLOSED;
}

/* A duplicate, unless it is closed. */
static void
duplicate(struct fm__descriptor *d, struct transfer *t)
{
    bool biased = fm__bias_lock(&d->lock);
    t->fd = is_closed(d) ? -1 : fcntl(d->fd, F_DUPFD_CLOEXEC, 3);
    t->error = t->fd >= 0 ? 0 : is_closed(d) ? ECANCELED : errno;
    fm__bias_unlock(&d->lock, biased);
}

/* ---- reading ---- */

/* Room for a block behind what is read ahead: nothing may fail once it has
 * been read. Only who holds the way touches that. */
static bool
make_room(struct fm__descriptor *d)
{
    size_t have = d->ahead_end - d->ahead_at;
    if (have && d->ahead_at)
        memmove(d->ahead, d->ahead + d->ahead_at, have);
    d->ahead_at = 0;
    d->ahead_end = have;
    if (d->ahead_size >= have + BLOCK)
        return true;
    char *grown = fm__sys_realloc(d->ahead, have + BLOCK);
    if (!grown)
        return false;
    d->ahead = grown;
    d->ahead_size = have + BLOCK;
    return true;
}

static void
prepare(struct fm__descriptor *d, struct transfer *t)
{
    duplicate(d, t);
    if (t->error)
        return;
    t->buf = fm__sys_alloc(BLOCK);
    t->owns = true;
    bool biased = fm__bias_lock(&d->lock);
    if (!t->buf || (!is_closed(d) && !make_room(d)))
        t->error = ENOMEM;
    fm__bias_unlock(&d->lock, biased);
}

static void
install(struct fm__descriptor *d, struct transfer *t)
{
    bool biased = fm__bias_lock(&d->lock);
    if (is_closed(d)) {
        /* nobody reads it any more */
    } else if (t->error) {
        d->news = t->error;
    } else if (t->got <= 0) {
        d->news = t->got ? (int)-t->got : FM__END;
    } else {
        memcpy(d->ahead + d->ahead_end, t->buf, (size_t)t->got);
        d->ahead_end += (size_t)t->got;
        d->side[FM__IN].state |= FM__AHEAD;
    }
    fm__bias_unlock(&d->lock, biased);
}

__attribute__((noinline)) fm_async bool
fm__stored_fetch(struct fm__descriptor *d)
{
    FM__CLEANUP(transfer_end)
    struct transfer t = {.errand.run = run_read, .n = BLOCK, .fd = -1};
    prepare(d, &t);
    if (!t.error &&
        fm_await fm__lane_run(&fm__lane_files, &t.errand) != FM__RAN)
        return false;
    install(d, &t);
    return true;
}

/* ---- writing ---- */

/* What the try has written. Others that queue for the way change its state. */
static size_t
put_before(struct fm__descriptor *d)
{
    struct fm__side *s = &d->side[FM__OUT];
    bool biased = fm__bias_lock(&d->lock);
    size_t done = s->state & FM__PARTIAL ? s->progress : 0;
    fm__bias_unlock(&d->lock, biased);
    return done;
}

/* Never inlined: it needs a record before it begins. */
__attribute__((noinline)) static fm_async ssize_t
store(struct fm__descriptor *d, const void *buf, size_t n)
{
    FM__CLEANUP(transfer_end)
    struct transfer t = {.errand.run = run_write, .fd = -1};
    size_t done = put_before(d);
    t.buf = (char *)(uintptr_t)buf + done;
    t.n = n - done;
    duplicate(d, &t);
    if (!t.error &&
        fm_await fm__lane_run(&fm__lane_files, &t.errand) != FM__RAN)
        fm_await fm_raise_cancelled();
    return t.error ? -t.error : t.got < 0 ? t.got : (ssize_t)n;
}

fm_async ssize_t
fm__stored_store(struct fm__descriptor *d, const void *buf, size_t n)
{
    ssize_t put = 0;
    fm_fault *f = fm_await fm_attempt(&put, store(d, buf, n));
    if (f) {
        fm__descriptor_leave(d, FM__OUT, true);
        fm_rethrow(f);
    }
    return fm__descriptor_end(d, FM__OUT, true, fm__bias_lock(&d->lock), put);
}

/* file.c: files, read and written at offsets.
 *
 * A regular file is always ready, says epoll, and then the read waits for
 * the disk. So the calls go to a lane; but a read first asks for what the
 * kernel has in memory (RWF_NOWAIT), which needs no other thread.
 */
#include <base/memory.h>
#include <errno.h>
#include <fcntl.h>
#include <fermata/io.h>
#include <io/descriptor.h>
#include <io/lane.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* One reference for the owner, one for each operation on the lane. */
struct fm_file {
    atomic_uint refs;
    atomic_bool closed;
    atomic_bool slow; /* it cannot tell what is in memory */
    int fd;
};

/* Closes with the last reference. 0, or an errno value. */
static int
file_drop(struct fm_file *f)
{
    int error = 0;

    if (atomic_fetch_sub(&f->refs, 1) != 1)
        return 0;
    /* EINTR: Linux has closed it all the same. */
    if (close(f->fd) && errno != EINTR)
        error = errno;
    fm__sys_free(f);
    return error;
}

/* ---- on the lane ---- */

struct operation {
    struct fm__errand errand; /* first */
    struct fm_file *file;
    void *buf;
    size_t n;
    off_t offset;
    ssize_t got; /* or a negated errno value */
};

static bool
is_closed(struct operation *o)
{
    if (!atomic_load_explicit(&o->file->closed, memory_order_relaxed))
        return false;
    o->got = -ECANCELED;
    return true;
}

/* A signal cannot interrupt it: the lane's threads block all. */
static void
run_read(struct fm__errand *e)
{
    struct operation *o = (struct operation *)e;
    size_t done = 0;
    ssize_t got = 1;

    if (is_closed(o))
        return;
    while (done < o->n && got > 0) {
        got = pread(o->file->fd, (char *)o->buf + done, o->n - done,
                    o->offset + (off_t)done);
        done += got > 0 ? (size_t)got : 0;
    }
    o->got = got < 0 && !done ? -errno : (ssize_t)done;
}

static void
run_write(struct fm__errand *e)
{
    struct operation *o = (struct operation *)e;
    size_t done = 0;

    if (is_closed(o))
        return;
    while (done < o->n) {
        ssize_t put = pwrite(o->file->fd, (char *)o->buf + done, o->n - done,
                             o->offset + (off_t)done);
        if (put < 0) {
            o->got = -errno;
            return;
        }
        done += (size_t)put;
    }
    o->got = (ssize_t)done;
}

static void
run_sync(struct fm__errand *e)
{
    struct operation *o = (struct operation *)e;

    if (!is_closed(o))
        o->got = fsync(o->file->fd) ? -errno : 0;
}

static void
run_resize(struct fm__errand *e)
{
    struct operation *o = (struct operation *)e;

    if (!is_closed(o))
        o->got = ftruncate(o->file->fd, o->offset) ? -errno : 0;
}

static void
run_stat(struct fm__errand *e)
{
    struct operation *o = (struct operation *)e;

    if (!is_closed(o))
        o->got = fstat(o->file->fd, o->buf) ? -errno : 0;
}

static void
run_close(struct fm__errand *e)
{
    struct operation *o = (struct operation *)e;

    o->got = -file_drop(o->file);
}

/* ---- who waits ---- */

static void
unhold(struct fm_file **f)
{
    file_drop(*f);
}

/* What the operation got. */
static fm_async ssize_t
on_lane(struct fm_file *file, void (*run)(struct fm__errand *), void *buf,
        size_t n, int64_t offset)
{
    struct operation o = {
        .errand.run = run, .file = file, .buf = buf, .n = n, .offset = offset};

    atomic_fetch_add(&file->refs, 1);
    FM__CLEANUP(unhold) struct fm_file *held = file;
    (void)held;
    if (fm_await fm__lane_run(&fm__lane_files, &o.errand) != FM__RAN)
        fm_await fm_raise_cancelled();
    return o.got;
}

/* As much as the kernel has in memory. *rest: there may be more. */
static ssize_t
read_now(struct fm_file *f, char *buf, size_t n, off_t offset, bool *rest)
{
    size_t done = 0;
    ssize_t got = 1;

    *rest = true;
    /* To preadv2, -1 is the file's own position. */
    if (offset < 0 || atomic_load_explicit(&f->slow, memory_order_relaxed))
        return 0;
    while (done < n && got > 0) {
        struct iovec part = {buf + done, n - done};
        got = preadv2(f->fd, &part, 1, offset + (off_t)done, RWF_NOWAIT);
        done += got > 0 ? (size_t)got : 0;
    }
    if (got < 0 && (errno == EOPNOTSUPP || errno == ENOSYS))
        atomic_store_explicit(&f->slow, true, memory_order_relaxed);
    *rest = got < 0; /* an error is met again, on the lane */
    return (ssize_t)done;
}

fm_async size_t
fm_file_read(struct fm_file *f, void *buf, size_t n, int64_t offset)
{
    bool rest;

    fm_await fm_checkpoint();
    ssize_t done = read_now(f, buf, n, offset, &rest);
    if (!rest || !n)
        return (size_t)done;
    ssize_t got = fm_await on_lane(f, run_read, (char *)buf + done,
                                   n - (size_t)done, offset + done);
    if (got < 0 && !done)
        fm_await fm__raise((int)-got, "fm_file_read");
    return (size_t)(done + (got > 0 ? got : 0));
}

fm_async size_t
fm_file_write(struct fm_file *f, const void *buf, size_t n, int64_t offset)
{
    ssize_t put =
        fm_await on_lane(f, run_write, (void *)(uintptr_t)buf, n, offset);

    if (put < 0)
        fm_await fm__raise((int)-put, "fm_file_write");
    return (size_t)put;
}

fm_async void
fm_file_sync(struct fm_file *f)
{
    ssize_t got = fm_await on_lane(f, run_sync, NULL, 0, 0);

    if (got)
        fm_await fm__raise((int)-got, "fm_file_sync");
}

fm_async void
fm_file_resize(struct fm_file *f, int64_t size)
{
    ssize_t got = fm_await on_lane(f, run_resize, NULL, 0, size);

    if (got)
        fm_await fm__raise((int)-got, "fm_file_resize");
}

fm_async void
fm_file_stat(struct fm_file *f, struct stat *out)
{
    ssize_t got = fm_await on_lane(f, run_stat, out, 0, 0);

    if (got)
        fm_await fm__raise((int)-got, "fm_file_stat");
}

int
fm_file_fd(const struct fm_file *f)
{
    return f->fd;
}

/* ---- opening and closing ---- */

struct opening {
    struct fm__errand errand; /* first */
    const char *path;
    int flags, mode;
    int fd; /* or a negated errno value */
};

/* Without O_NONBLOCK a pipe would wait here for its other end, for ever. */
static void
run_open(struct fm__errand *e)
{
    struct opening *o = (struct opening *)e;
    int fd = open(o->path, o->flags | O_CLOEXEC | O_NONBLOCK, o->mode);

    if (fd >= 0 && !(o->flags & O_NONBLOCK))
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    o->fd = fd < 0 ? -errno : fd;
}

fm_async struct fm_file *
fm_file_open(const char *path, int flags, int mode)
{
    struct opening o = {
        .errand.run = run_open, .path = path, .flags = flags, .mode = mode};
    struct fm_file *f;

    if (fm_await fm__lane_run(&fm__lane_files, &o.errand) != FM__RAN)
        fm_await fm_raise_cancelled();
    if (o.fd < 0)
        fm_abi_throw(-o.fd, "fm_file_open", NULL, 0, "%s: %s", path,
                     strerror(-o.fd));
    f = fm__sys_alloc(sizeof *f);
    if (!f) {
        close(o.fd);
        fm_await fm__raise(ENOMEM, "fm_file_open");
    }
    *f = (struct fm_file){.fd = o.fd};
    atomic_init(&f->refs, 1);
    /* RWF_NOWAIT says nothing there: it waits for the disk itself. */
    atomic_init(&f->slow, (flags & O_DIRECT) != 0);
    return f;
}

/* Raises without having closed it. Never inlined: it needs a record before
 * it begins. */
__attribute__((noinline)) static fm_async int
close_on_lane(struct fm_file *f)
{
    struct operation o = {.errand.run = run_close, .file = f};

    fm_with_shield();
    if (fm_await fm__lane_run(&fm__lane_files, &o.errand) != FM__RAN)
        fm_await fm_raise_cancelled();
    return (int)-o.got;
}

/* Also where nothing may wait any more: then it closes here. */
static fm_async int
close_file(struct fm_file *f)
{
    int error = 0;

    if (fm_await fm_attempt(&error, close_on_lane(f)))
        error = file_drop(f);
    return error;
}

fm_async void
fm_file_close(struct fm_file *f)
{
    if (!f)
        return;
    atomic_store_explicit(&f->closed, true, memory_order_relaxed);
    int error = fm_await close_file(f);
    if (error)
        fm_await fm__raise(error, "fm_file_close");
}

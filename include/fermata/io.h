/* io.h: waiting for time, streams and sockets.
 *
 * Every async function here takes part in cancellation: it checks before it
 * succeeds at once, and a cancelled one leaves nothing behind and loses no
 * bytes. It returns what its namesake in libc returns on success, and raises
 * a fault with the errno value else. A stream or listener may be used from
 * any thread, its loop watches it where it is awaited; several tasks may use
 * one: reading and writing go on side by side, two of a kind one after the
 * other, in the order in which they came.
 */
#ifndef FERMATA_IO_H
#define FERMATA_IO_H

#include <fermata.h>
#pragma clang system_header

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* ---- time ---------------------------------------------------------------- */

/* Suspends for at least so long. 0 or less: to the back of the executor's
 * queue, as fm_yield. FM_FOREVER: until cancelled. */
fm_async void fm_sleep(int64_t ns);

/* ---- streams --------------------------------------------------------------- */

typedef struct fm_stream fm_stream;

/* A stream over a socket, pipe, terminal or file; it owns fd from then on.
 * All but sockets and files are set to O_NONBLOCK. Reading a file may take
 * more from it than was asked for. Null with errno (EBADF, ENOMEM): fd is
 * still the caller's. */
fm_stream *fm_stream_open(int fd) FM__NOTHROW;
/* At most n bytes, as soon as there are some; 0 = the end (or n is 0). */
fm_async size_t fm_read(fm_stream *s, void *buf, size_t n);
/* n bytes; fewer only at the end. */
fm_async size_t fm_read_exact(fm_stream *s, void *buf, size_t n);
/* Up to and with the first byte `delim`; without it, if there is none among
 * the first n bytes or before the end. */
fm_async size_t fm_read_until(fm_stream *s, void *buf, size_t n, int delim);
/* All n bytes; returns n. A fault tells nothing of how many went out. */
fm_async size_t fm_write(fm_stream *s, const void *buf, size_t n);
/* As many as there is room for, at least one; returns how many. */
fm_async size_t fm_write_some(fm_stream *s, const void *buf, size_t n);
/* Half-close: the other end reads what was written and then the end. Waits
 * for writes that are under way. Sockets only; a second does nothing. */
fm_async void fm_shutdown(fm_stream *s);
/* Closes, from any thread; whoever waits in it gets one fault ECANCELED. The
 * stream is gone. Null is allowed. */
void fm_close(fm_stream *s) FM__NOTHROW;
int fm_stream_fd(const fm_stream *s) FM__NOTHROW;

/* The three standard streams, made at the first call; null with errno. The
 * program's own descriptors stay as they are where that is possible. */
fm_stream *fm_stdin(void) FM__NOTHROW;
fm_stream *fm_stdout(void) FM__NOTHROW;
fm_stream *fm_stderr(void) FM__NOTHROW;

/* ---- files -------------------------------------------------------------------
 *
 * What may block runs on threads of its own (8 at most; FERMATA_FILES=n);
 * what the kernel has in memory is read at once. A cancelled operation that
 * has begun is waited for, so its buffers are free when the fault arrives. */

typedef struct fm_file fm_file;
struct stat;

/* As open(2); O_CLOEXEC is set. fm_file_close gives it back. */
fm_async fm_file *fm_file_open(const char *path, int flags, int mode);
/* n bytes from the offset on; fewer only where the file ends. Several tasks
 * may use one file. */
fm_async size_t fm_file_read(fm_file *f, void *buf, size_t n, int64_t offset);
/* All n bytes; returns n. With O_APPEND: at the end. */
fm_async size_t fm_file_write(fm_file *f, const void *buf, size_t n,
                              int64_t offset);
/* Until it is on the disk (fsync). */
fm_async void fm_file_sync(fm_file *f);
fm_async void fm_file_resize(fm_file *f, int64_t size);
fm_async void fm_file_stat(fm_file *f, struct stat *out);
/* Closes, also if it is cancelled or raises what the system says (EIO, ENOSPC
 * of an earlier write): the file is gone. Whoever waits to use it gets
 * ECANCELED. Null is allowed. */
fm_async void fm_file_close(fm_file *f);
int fm_file_fd(const fm_file *f) FM__NOTHROW;

fm_async void fm_stat(const char *path, struct stat *out);
fm_async void fm_unlink(const char *path);
fm_async void fm_rename(const char *from, const char *to);
fm_async void fm_mkdir(const char *path, int mode);
fm_async void fm_rmdir(const char *path);

/* What stands in a folder, but . and .. */
typedef struct fm_entry {
    const char *name;
    unsigned type; /* DT_REG, DT_DIR, ... of dirent.h; never DT_UNKNOWN if
                      the system can tell */
} fm_entry;
/* Stores the entries, in the order of their names, and returns how many. The
 * list is the caller's, one block: fm_dir_free. */
fm_async size_t fm_dir_list(const char *path, fm_entry **list);
void fm_dir_free(fm_entry *list) FM__NOTHROW;

/* ---- names ---------------------------------------------------------------------- */

struct addrinfo;

/* As getaddrinfo(3): stores the addresses, at least one. Runs on threads of
 * its own (8 at most; FERMATA_NAMES=n); a cancelled one returns at once. Host
 * or service may be null, hints too. Raises ENOENT for a name that does not
 * exist, EAGAIN where asking again later may help, EINVAL, ENOMEM, EIO. */
fm_async void fm_lookup(const char *host, const char *service,
                        const struct addrinfo *hints, struct addrinfo **list);
void fm_lookup_free(struct addrinfo *list) FM__NOTHROW;

/* ---- sockets ----------------------------------------------------------------- */

typedef struct fm_listener fm_listener;

/* A host is a numeric address, a name that is looked up, or null: loopback to
 * connect to, every address to listen at. Port 0: any free one. TCP_NODELAY
 * is set. A name may have several addresses: each is tried, the next one when
 * one has failed or has not answered for 250 ms; the first that answers is
 * taken; if none does, the first one's fault is raised. */
fm_async fm_stream *fm_tcp_connect(const char *host, int port);
fm_async fm_listener *fm_tcp_listen(const char *host, int port, int backlog);
/* A path that begins with '@' is an abstract name. A stale socket file is
 * the caller's to unlink. */
fm_async fm_stream *fm_unix_connect(const char *path);
fm_async fm_listener *fm_unix_listen(const char *path, int backlog);
/* The next connection. At the limit of descriptors or memory it waits until
 * there is room, and says so once on standard error. */
fm_async fm_stream *fm_accept(fm_listener *l);
/* The port that it listens at; 0 = none. */
int fm_listener_port(const fm_listener *l) FM__NOTHROW;
/* As fm_close. */
void fm_listener_close(fm_listener *l) FM__NOTHROW;

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif

/* sys_linux.c: the platform under the runtime, for Linux with a C library. */
#include <dirent.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/check.h"
#include "runtime/sys.h"

#ifdef FM_ASAN
#include <sanitizer/lsan_interface.h>
#endif

/* ---- memory ----------------------------------------------------------- */

static _Atomic uint64_t fail_after; /* 0 = never, else allocations to go */
static _Atomic bool fail_on;        /* every later one fails too */
static _Atomic bool failing;        /* the test was ever switched on */
static _Atomic uint64_t asked;      /* allocations since then */

void
fm__sys_fail_alloc(uint64_t n, bool on)
{
    atomic_store(&fail_on, on);
    atomic_store(&fail_after, n);
    atomic_store(&failing, true);
}

void
fm__sys_alloc_told(void)
{
    static _Atomic bool told;

    if (fm__load(&failing) && !atomic_exchange(&told, true))
        fm__sys_say("fermata: an allocation failed: fault ENOMEM");
}

static void
say_asked(void)
{
    fm__sys_say("fermata: %llu allocations",
                (unsigned long long)atomic_load(&asked));
}

__attribute__((constructor)) static void
read_fail_alloc(void)
{
    const char *s = getenv("FERMATA_FAIL_ALLOC");
    char *end;

    if (!s)
        return;
    fm__sys_fail_alloc(strtoull(s, &end, 10), *end == '+');
    if (!atomic_load(&fail_after))
        atexit(say_asked);
}

bool
fm__sys_plain_malloc(void)
{
#ifdef FM_PLAIN_MALLOC
    return true;
#else
    return fm__load(&failing);
#endif
}

static bool
must_fail(void)
{
    uint64_t n;

    if (likely(!fm__load(&failing)))
        return false;
    atomic_fetch_add(&asked, 1);
    n = atomic_load(&fail_after);
    while (n > 1)
        if (atomic_compare_exchange_weak(&fail_after, &n, n - 1))
            return false;
    if (n == 0)
        return false;
    if (!atomic_load(&fail_on))
        atomic_store(&fail_after, 0);
    errno = ENOMEM; /* as malloc leaves it */
    return true;
}

void *
fm__sys_alloc(size_t bytes)
{
    return must_fail() ? NULL : malloc(bytes);
}

void *
fm__sys_alloc_aligned(size_t align, size_t bytes)
{
    return must_fail() ? NULL : aligned_alloc(align, bytes);
}

void *
fm__sys_alloc_zeroed(size_t bytes)
{
    return must_fail() ? NULL : calloc(1, bytes);
}

void *
fm__sys_realloc(void *p, size_t bytes)
{
    return must_fail() ? NULL : realloc(p, bytes);
}

void
fm__sys_free(void *p)
{
    free(p);
}

/* What lies in a slab is not seen by LeakSanitizer, unless it is told: the
 * reserve holds live blocks even when all others are malloced. */
static void *
slab_is_root(void *p)
{
#ifdef FM_ASAN
    __lsan_register_root_region(p, FM_SLAB_BYTES);
#endif
    return p;
}

/* malloc would leave a hole beside each block that is aligned so. New maps
 * lie next to the last one, so most are aligned at the first try. */
void *
fm__sys_slab_new(bool now)
{
    const size_t n = FM_SLAB_BYTES;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | (now ? MAP_POPULATE : 0);
    char *p, *aligned;

    if (must_fail())
        return NULL;
    p = mmap(NULL, n, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p == MAP_FAILED || !((uintptr_t)p & (n - 1)))
        return p == MAP_FAILED ? NULL : slab_is_root(p);
    munmap(p, n);
    p = mmap(NULL, 2 * n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
             -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    aligned = (char *)(((uintptr_t)p + n - 1) & ~(n - 1));
    if (aligned != p)
        munmap(p, (size_t)(aligned - p));
    if (aligned + n != p + 2 * n)
        munmap(aligned + n, (size_t)(p + 2 * n - (aligned + n)));
    return slab_is_root(aligned);
}

void
fm__sys_slab_free(void *p)
{
#ifdef FM_ASAN
    __lsan_unregister_root_region(p, FM_SLAB_BYTES);
#endif
    munmap(p, FM_SLAB_BYTES);
}

/* ---- threads ---------------------------------------------------------- */

void
fm__sys_yield_thread(void)
{
    sched_yield();
}

void
fm__sys_pause(void)
{
    for (int i = 0; i < 16; i++)
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        __asm__ volatile("isb");
#else
        __asm__ volatile("");
#endif
}

unsigned
fm__sys_cores(void)
{
    cpu_set_t set;
    long n;

    if (!sched_getaffinity(0, sizeof set, &set))
        return (unsigned)CPU_COUNT(&set);
    n = sysconf(_SC_NPROCESSORS_ONLN); /* more CPUs than a set has */
    return n > 0 ? (unsigned)n : 1;
}

bool
fm__sys_thread_new(uintptr_t *thread, const char *name, void *(*fn)(void *),
                   void *arg)
{
    sigset_t all, old;
    pthread_t id;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    error = pthread_create(&id, NULL, fn, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error)
        return false;
    pthread_setname_np(id, name);
    *thread = (uintptr_t)id;
    return true;
}

void
fm__sys_thread_join(uintptr_t thread)
{
    pthread_join((pthread_t)thread, NULL);
}

void
fm__sys_thread_detach(uintptr_t thread)
{
    pthread_detach((pthread_t)thread);
}

void
fm__sys_word_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns)
{
    struct timespec ts = {ns / 1000000000, ns % 1000000000};

    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, ns < 0 ? NULL : &ts,
            NULL, 0);
}

void
fm__sys_word_wake(_Atomic uint32_t *word, int threads)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

void
fm__sys_around_fork(void (*before)(void), void (*parent)(void),
                    void (*child)(void))
{
    if (pthread_atfork(before, parent, child))
        fm__die("no memory to be told of forks");
}

void
fm__sys_at_fork(void (*fn)(void))
{
    fm__sys_around_fork(NULL, NULL, fn);
}

static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;

static void
run_end(void *fn)
{
    void (*f)(void);

    memcpy(&f, &fn, sizeof f);
    f();
}

static void
make_end_key(void)
{
    if (pthread_key_create(&end_key, run_end))
        fm__die("no thread key is left");
}

void
fm__sys_at_thread_end(void (*fn)(void))
{
    void *p;

    pthread_once(&end_once, make_end_key);
    memcpy(&p, &fn, sizeof p);
    pthread_setspecific(end_key, p);
}

int *
fm__sys_errno(void)
{
    return &errno;
}

static bool
thread_is_ours(const char *id)
{
    char path[64], name[16] = "";
    FILE *f;

    snprintf(path, sizeof path, "/proc/self/task/%.20s/comm", id);
    f = fopen(path, "r");
    if (!f)
        return true; /* it has ended */
    if (!fgets(name, sizeof name, f))
        name[0] = '\0';
    fclose(f);
    return !strncmp(name, "fermata-", 8);
}

unsigned
fm__sys_foreign_threads(void)
{
    DIR *d = opendir("/proc/self/task");
    char own[24];
    unsigned n = 0;

    if (!d)
        return 1; /* unknown: rather wait than call it a deadlock */
    snprintf(own, sizeof own, "%ld", (long)gettid());
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.' && strcmp(e->d_name, own) &&
             !thread_is_ours(e->d_name);
    closedir(d);
    return n;
}

/* ---- time, environment, words ------------------------------------------ */

int64_t
fm__sys_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

const char *
fm__sys_env(const char *name)
{
    return getenv(name);
}

long
fm__sys_env_number(const char *name, long or)
{
    const char *s = getenv(name);
    char *end;
    long n;

    if (!s || !*s)
        return or ;
    n = strtol(s, &end, 10);
    return *end ? or : n;
}

static void
say(const char *prefix, const char *fmt, va_list ap)
{
    char line[1024];
    int n = snprintf(line, sizeof line, "%s", prefix);
    int m = vsnprintf(line + n, sizeof line - (size_t)n - 1, fmt, ap);
    size_t bytes = (size_t)n;

    if (m > 0)
        bytes += (size_t)m < sizeof line - bytes - 1 ? (size_t)m
                                                     : sizeof line - bytes - 2;
    line[bytes++] = '\n';
    fflush(stdout);
    if (write(2, line, bytes) < 0)
        return;
}

void
fm__sys_say(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say("", fmt, ap);
    va_end(ap);
}

void
fm__die(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    say("fermata: ", fmt, ap);
    va_end(ap);
    abort();
}

const char *
fm__sys_error_name(int code)
{
    const char *name = strerrorname_np(code);

    return name ? name : "user";
}

void
fm__sys_exit_now(int code)
{
    fflush(NULL);
    _exit(code);
}

void
fm__lock_slow(struct lock *l)
{
    for (;;) {
        for (int i = 0; i < 100; i++) {
            uint32_t free = 0;
            if (fm__load(&l->held) == 0 &&
                atomic_compare_exchange_strong_explicit(&l->held, &free, 1,
                                                        memory_order_acquire,
                                                        memory_order_relaxed))
                return;
        }
        fm__sys_yield_thread();
    }
}

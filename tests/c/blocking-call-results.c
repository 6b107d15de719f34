/* fm_blocking runs an ordinary function on another thread with its arguments
 * as they were, and brings back what it returns, of every class, and errno. */
// threads
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <pthread.h>
#include <unistd.h>
struct big {
    long a[9];
};
struct pair {
    long a;
    double b;
};
struct small {
    char c[3];
};
struct wide {
    _Alignas(64) char c[64];
};
static struct big
make_big(struct big b, int n)
{
    b.a[8] += n;
    return b;
}
static struct pair
make_pair(struct pair p)
{
    p.a++;
    p.b *= 2;
    return p;
}
static struct small
make_small(struct small s, char c)
{
    s.c[1] = c;
    return s;
}
static struct wide
make_wide(struct wide w)
{
    w.c[63]++;
    return w;
}
static _Bool
flip(_Bool b)
{
    return !b;
}
static signed char
neg(signed char c)
{
    return (signed char)-c;
}
static float
add(float a, double b)
{
    return a + (float)b;
}
static long double
ldbl(long double a)
{
    return a * 2;
}
static __int128
wide_int(__int128 a)
{
    return a + 1;
}
static int
sum(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    int s = 0;
    for (int i = 0; i < n; i++)
        s += va_arg(ap, int);
    va_end(ap);
    return s;
}
static double
dsum(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    double s = 0;
    for (int i = 0; i < n; i++)
        s += va_arg(ap, double);
    va_end(ap);
    return s;
}
static pthread_t
who(void)
{
    return pthread_self();
}
static void
nothing(int *p)
{
    *p = 5;
    errno = ENOENT;
}
static int
fail(void)
{
    errno = EBADF;
    return -1;
}
async int
main(void)
{
    struct big b = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
    b = await fm_blocking(make_big(b, 3));
    printf("%ld %ld\n", b.a[0], b.a[8]);
    struct pair p = await fm_blocking(make_pair((struct pair){1, 2.5}));
    printf("%ld %g\n", p.a, p.b);
    struct small s = await fm_blocking(make_small((struct small){"abc"}, 'x'));
    printf("%.3s\n", s.c);
    struct wide w = {{0}};
    w.c[63] = 7;
    w = await fm_blocking(make_wide(w));
    printf("%d\n", w.c[63]);
    printf("%d %d %g %Lg %ld\n", await fm_blocking(flip(0)),
           await fm_blocking(neg(5)),
           (double)await fm_blocking(add(1.5f, 2.25)),
           await fm_blocking(ldbl(1.5L)),
           (long)await fm_blocking(wide_int((__int128)41)));
    printf("%d %g\n", await fm_blocking(sum(3, 1, 2, 3)),
           await fm_blocking(dsum(2, 1.5, 2.5)));
    pthread_t o = await fm_blocking(who());
    printf("%d\n", !pthread_equal(o, pthread_self()));
    int x = 0;
    await fm_blocking(nothing(&x));
    printf("%d %d\n", x, errno == ENOENT);
    int (*fp)(void) = fail;
    int r = await fm_blocking(fp());
    printf("%d %d\n", r, errno == EBADF);
    int fd = await fm_blocking(open("/dev/null", O_RDONLY | O_CREAT, 0600));
    printf("%d\n", fd > 2);
    char c;
    printf("%zd\n", await fm_blocking(read(fd, &c, 1)));
    await fm_blocking(close(fd));

    return 0;
}

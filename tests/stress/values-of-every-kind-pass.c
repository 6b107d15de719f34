// Results and arguments of every kind, errno and thread-locals pass a call.
// flags: -ffermata-stress=14,1 -w
#include <complex.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

typedef float v4 __attribute__((vector_size(16)));
struct bits {
    unsigned a : 3, b : 17;
    long c : 40;
};
struct __attribute__((packed)) odd {
    char c;
    int i;
    double d;
};
union either {
    int i;
    float f;
    char bytes[20];
};
struct empty {};
struct large {
    long v[12];
};

static _Thread_local int here = 5;

static bool flip(bool b) { return !b; }
static signed char narrow(signed char c, unsigned short s) { return c - s; }
static __int128 wide(__int128 x) { return x * 3; }
static long double longer(long double x, float f) { return x / 2 + f; }
static double complex turn(double complex z) { return z * I; }
static v4 lanes(v4 a, v4 b) { return a * b; }
static struct bits shift(struct bits b) { return b.a++, b.c -= b.b, b; }
static struct odd pack(struct odd o) { return o.i *= 2, o.d += o.c, o; }
static union either either(union either e) { return e.bytes[3]++, e; }
static struct empty none(struct empty e, int *n) { return *n += 1, e; }
static struct large fill(struct large l, int n)
{
    for (int i = 0; i < 12; i++)
        l.v[i] += n ? fill(l, n - 1).v[i] : i;
    return l;
}
static int many(int a, double b, int c, float d, long e, char f, short g,
                int h, struct odd o, long double l, int z)
{
    return a + (int)b + c + (int)d + (int)e + f + g + h + o.i + (int)l + z;
}

static int fails(int n)
{
    errno = n ? n : EDOM;
    here = here + n;
    return -1;
}

int main(void)
{
    struct bits b = shift((struct bits){6, 1000, 5});
    struct odd o = pack((struct odd){2, 21, 0.5});
    union either e = either((union either){.bytes = "abcd"});
    v4 v = lanes((v4){1, 2, 3, 4}, (v4){2, 2, 2, 2});
    double complex z = turn(1 + 2 * I);
    int n = 0;

    none((struct empty){}, &n);
    printf("%d %d %lld %.2Lf\n", flip(false), narrow(-100, 50),
           (long long)wide(1234567890123LL), longer(5, 1.5f));
    printf("%.1f %.1f %.1f %.1f\n", creal(z), cimag(z), v[1], v[3]);
    printf("%d %d %ld %d %.2f %s %d\n", b.a, b.b, (long)b.c, o.i, o.d, e.bytes,
           n);
    printf("%ld\n", fill((struct large){{1, 2, 3}}, 3).v[2]);
    printf("%d\n", many(1, 2, 3, 4, 5, 6, 7, 8, o, 9, 10));
    printf("%d %d %d\n", fails(0), errno == EDOM, here);
    printf("%d %d %d\n", fails(ENOENT), errno == ENOENT, here);
    return 0;
}

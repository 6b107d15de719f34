// A chain of 1,000,000 suspended frames resumes in constant stack.
// id: L19
// time: 60
// not: asan
#include <fermata.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

struct link { struct link *up; long n; };
static uintptr_t low = UINTPTR_MAX, high;

/* Where the stack is when a frame goes on. */
__attribute__((noinline)) static void
probe(void)
{
    volatile char here = 0;
    uintptr_t at = (uintptr_t)&here;
    low = at < low ? at : low;
    high = at > high ? at : high;
}

static async long
deep(long n, struct link *up)
{
    struct link here = {up, n};
    if (n == 0) {
        await fm_yield();
        probe();
        for (struct link *l = &here; l; l = l->up)
            n += l->n & 1;
        return n;
    }
    long below = await deep(n - 1, &here);
    probe();
    return below + (here.n & 3);
}

async int
main(int argc, char **argv)
{
    struct rlimit big = {1UL << 30, 1UL << 30};
    /* The way down needs a stack, as in plain C. */
    if (argc == 1) {
        setrlimit(RLIMIT_STACK, &big);
        execl("/proc/self/exe", argv[0], "again", (char *)NULL);
        return 1;
    }
    for (int i = 0; i < 2; i++)
        printf("%ld\n", await deep(1000000, NULL));
    printf("%d\n", high - low < 65536);
    return 0;
}

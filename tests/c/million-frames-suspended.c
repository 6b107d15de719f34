// A chain of 1,000,000 suspended frames resumes in constant stack.
// id: L19
// time: 60
#include <fermata.h>
#include <stdio.h>
#include <sys/resource.h>

struct link { struct link *up; long n; };

static async long
deep(long n, struct link *up)
{
    struct link here = {up, n};
    if (n == 0) {
        await fm_yield();
        for (struct link *l = &here; l; l = l->up)
            n += l->n & 1;
        return n;
    }
    return await deep(n - 1, &here) + (here.n & 3);
}

static async int
both(void)
{
    for (int i = 0; i < 2; i++)
        printf("%ld\n", await deep(1000000, NULL));
    return 0;
}

async int
main(void)
{
    struct rlimit big = {1UL << 31, 1UL << 31};
    (void)big;
    return await both();
}

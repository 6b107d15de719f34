// Thread-locals, errno and pthread_self are those of the thread that runs.
// id: X24
// threads
#include "hop.h"
#include <errno.h>

static _Thread_local int plain;
static _Thread_local struct { int a; int b[8]; } members;
_Thread_local long shown[4];
static _Thread_local int *pointer;

/* What is true, read where nothing can have been kept. */
struct truth { pthread_t self; int plain, a, b; long shown; int *err; };
__attribute__((noinline, optnone)) static struct truth
truth(int i)
{
    return (struct truth){pthread_self(), plain, members.a, members.b[i],
                          shown[i & 3], &errno};
}
/* Makes the thread's variables its own. */
__attribute__((noinline, optnone)) static void
mark(int i)
{
    static int next;
    int n = __atomic_add_fetch(&next, 100, __ATOMIC_SEQ_CST);
    plain = n + 1, members.a = n + 2, members.b[i] = n + 3;
    shown[i & 3] = n + 4, pointer = &plain;
}
static int bad, moved;
static void
wrong(int is, const char *what)
{
    if (is) {
        bad++;
        printf("%s is another thread's\n", what);
    }
}
#define COMPARE(i)                                                           \
    do {                                                                     \
        struct truth t_ = truth(i);                                          \
        wrong(!pthread_equal(t_.self, pthread_self()), "pthread_self");      \
        wrong(t_.plain != plain, "plain");                                   \
        wrong(t_.a != members.a, "member");                                  \
        wrong(t_.b != members.b[i], "element");                              \
        wrong(t_.shown != shown[(i) & 3], "exported element");               \
        wrong(t_.err != &errno, "errno");                                    \
        wrong(&plain != pointer, "address");                                 \
    } while (0)

static async void
once(int i)
{
    pthread_t before = pthread_self();
    mark(i);
    COMPARE(i);
    plain += 1;
    HOP();
    moved += !pthread_equal(before, pthread_self());
    mark(i);
    COMPARE(i);
    members.b[i] += plain;
    plain = members.b[i];
    HOP();
    mark(i);
    COMPARE(i);
}

static async void
in_loop(int i)
{
    pthread_t last = pthread_self();
    for (int k = 0; k < 6; k++) {
        mark(i);
        members.b[i] += k;
        COMPARE(i);
        if (k & 1)
            HOP();
        else
            AWAY();
        moved += !pthread_equal(last, pthread_self());
        last = pthread_self();
        mark(i);
        COMPARE(i);
        shown[i & 3]++, members.a--;
        COMPARE(i);
    }
}

__attribute__((always_inline)) static inline async int
inlined(int i)
{
    mark(i);
    int sum = members.b[i] + plain;
    HOP();
    mark(i);
    COMPARE(i);
    return sum != members.b[i] + plain;
}

static async void
switches(fm_executor *other, int i)
{
    mark(i);
    members.b[i]++;
    await fm_switch(other);
    mark(i);
    COMPARE(i);
    wrong(!await inlined(i), "inlined");
    mark(i);
    COMPARE(i);
}

async int
main(void)
{
    pthread_t home = pthread_self();
    for (int i = 1; i < 4; i++) {
        await once(i);
        await in_loop(i);
        await switches(hop_loops[i & 1], i);
        mark(i);
        COMPARE(i);
    }
    wrong(!pthread_equal(home, pthread_self()), "main");
    printf("%d %d\n", bad, moved > 3);
    hop_end();
    return 0;
}

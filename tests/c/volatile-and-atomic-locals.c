// volatile and _Atomic locals are one object before and after.
// plain
#include <fermata.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int *shared_atomic;
static volatile int *shared_volatile;

static async void
touch(int n)
{
    for (int i = 0; i < n; i++) {
        await fm_yield();
        atomic_fetch_add(shared_atomic, 1);
        *shared_volatile += 2;
    }
}

struct pair { int x, y; };

static async int
owner(void)
{
    atomic_int a = 1;
    volatile int v = 2;
    volatile char text[5] = {1, 2, 3, 4, 5};
    _Atomic(struct pair) pair;
    atomic_init(&pair, ((struct pair){1, 2}));
    shared_atomic = &a;
    shared_volatile = &v;
    await touch(3);
    a += 10;
    v += 10;
    text[2] += 1;
    struct pair first = atomic_load(&pair);
    atomic_store(&pair, ((struct pair){7, 8}));
    await touch(2);
    struct pair copy = atomic_load(&pair);
    return a * 1000 + v * 10 + text[2] + (copy.x + first.y) * 100000;
}

async int
main(void)
{
    printf("%d\n", await owner());
    return 0;
}

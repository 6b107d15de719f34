// Results that nobody uses compile and change nothing.
// plain
// id: L17
#include <fermata.h>
#include <stdio.h>

typedef float v8f __attribute__((vector_size(32)));
typedef int v4i __attribute__((vector_size(16)));
struct s { char c[3]; };
struct big { long v[20]; };
static int calls;

#define MAKE(T, name, value)                                                 \
    __attribute__((noinline)) static async T name(void)                      \
    {                                                                        \
        T t = value;                                                         \
        calls++;                                                             \
        await fm_yield();                                                    \
        return t;                                                            \
    }
MAKE(v8f, vector, {1})
MAKE(v4i, small, {2})
MAKE(struct s, odd, {{1}})
MAKE(struct big, big, {{1}})
MAKE(long double, extended, 1)
MAKE(_Complex double, complex, 1)
MAKE(__int128, wide, 1)
MAKE(_Bool, truth, 1)

async int
main(void)
{
    await vector();
    (void)await small();
    await odd(), await big();
    await extended();
    if (calls)
        await complex();
    (void)(await wide() + 1);
    (void)(await truth() ? await big() : await big());
    for (int i = 0; i < 2; i++)
        await big();
    int first = (await small())[0];
    printf("%d %d\n", calls, first);
    return 0;
}

/* held.c: s8, the part that is the same for every peer. */
#include "held.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t
level(int64_t v, int64_t below)
{
    return v * 3 + (v ^ 0x55) + (v + 77) + v * v + below;
}

int
held_main(int argc, char **argv, const struct held *peer, void **arrays[2])
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    for (int k = 0; k < 2; k++) {
        arrays[k] = malloc(n * sizeof(void *));
        if (!arrays[k])
            return 1;
        memset(arrays[k], 1, n * sizeof(void *));
    }
    peer->start(0);
    if (peer->finish(0) != 0 + (uint64_t)level(0, level(1, level(2, 0))))
        return 1;
    size_t before = resident_bytes();
    for (uint64_t i = 0; i < n; i++)
        peer->start(i);
    size_t after = resident_bytes();
    printf("resident %.2f\n", (double)(after - before) / (double)n);
    for (uint64_t i = 0; i < n; i++) {
        int64_t v = (int64_t)i;
        int64_t want = level(v, level(v + 1, level(v + 2, 0)));
        if (peer->finish(i) != (uint64_t)want) {
            fprintf(stderr, "held: wrong result of task %llu\n",
                    (unsigned long long)i);
            return 1;
        }
    }
    return 0;
}

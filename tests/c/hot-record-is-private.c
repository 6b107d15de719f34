// Eight activations of one function at once do not share anything.
#include <fermata.h>
#include <stdio.h>
#include <string.h>

struct state { long v[12]; };

static async struct state
work(int id, int n, struct state s)
{
    char text[160];
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof(text), "%d:%d", id, i);
        s.v[i % 12] += id;
        await fm_yield();
        if (id % 3 == i % 3)
            await fm_yield();
        char want[32];
        snprintf(want, sizeof(want), "%d:%d", id, i);
        if (strcmp(text, want))
            printf("activation %d has %s\n", id, text);
    }
    return s;
}

async int
main(void)
{
    FM_TASK(struct state) t[8];
    struct state zero = {{0}};
    for (int i = 0; i < 8; i++)
        t[i] = fm_start(work(i, 20 + i, zero));
    for (int i = 7; i >= 0; i--) {
        struct state s = await fm_join(t[i]);
        long sum = 0;
        for (int k = 0; k < 12; k++)
            sum += s.v[k];
        printf("%ld ", sum);
    }
    printf("\n");
    return 0;
}

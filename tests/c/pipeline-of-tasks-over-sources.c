// A pipeline of tasks over a hand-made channel of sources.
// not: alloc
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <stdlib.h>
struct item { struct item *next; long v; };
struct queue { struct item *first, **last; FM_SOURCE(void) wake; int closed; };
static void put(struct queue *q, long v)
{
    struct item *i = malloc(sizeof *i);
    *i = (struct item){0, v};
    *q->last = i;
    q->last = &i->next;
    if (q->wake) { FM_SOURCE(void) w = q->wake; q->wake = 0; fm_source_set_void(w); fm_source_release(w); }
}
static void shut(struct queue *q)
{
    q->closed = 1;
    if (q->wake) { FM_SOURCE(void) w = q->wake; q->wake = 0; fm_source_set_void(w); fm_source_release(w); }
}
async _Bool get(struct queue *q, long *out)
{
    while (!q->first) {
        if (q->closed) return 0;
        q->wake = fm_source_new(void);
        FM_TASK(void) t = fm_source_task(q->wake);
        await fm_join(t);
    }
    struct item *i = q->first;
    q->first = i->next;
    if (!q->first) q->last = &q->first;
    *out = i->v;
    free(i);
    return 1;
}
async long stage(struct queue *in, struct queue *out, long mul, long add)
{
    long n = 0, v;
    while (await get(in, &v)) {
        if (n % 3 == 0) await fm_yield();
        put(out, v * mul + add);
        n++;
    }
    shut(out);
    return n;
}
async int main(void)
{
    struct queue q[5] = {0};
    for (int i = 0; i < 5; i++) q[i].last = &q[i].first;
    FM_TASK(long) t[4];
    for (int i = 0; i < 4; i++) t[i] = fm_start(stage(&q[i], &q[i + 1], i + 1, i));
    for (long i = 0; i < 200; i++) { put(&q[0], i); if (i % 7 == 0) await fm_yield(); }
    shut(&q[0]);
    long v, sum = 0, n = 0;
    while (await get(&q[4], &v)) sum += v, n++;
    for (int i = 0; i < 4; i++) n += await fm_join(t[i]);
    printf("%ld %ld\n", n, sum);
    return 0;
}

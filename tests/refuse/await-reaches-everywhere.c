// The check finds nothing to say about right code in any position.
// smoke
// flags: -Wall -Wextra -Wpedantic -Werror -std=c17
#include <fermata.h>
struct pair {
    int a, b;
};
typedef async int handler(int);
struct route {
    handler *serve;
};
async struct pair two(void);
async int one(int x);
async int *place(void);
async void nothing(void);
async int right(struct route *r, FM_TASK(int) t, FM_TASK(void) u, int n)
{
    int a[] = {await one(1), (await one(2)), -await one(3)};
    struct pair p = await two();
    fm_fault *f;
    int v;

    p.a += await two().a + (await two()).b + await *place() + await place()[0];
    p.b = n ? await one(1) : await one(await one(2));
    await nothing();
    (void)await one(1);
    switch (await r->serve(1)) {
    case 1:
        return await(*r->serve)(2);
    }
    for (v = await one(1); await one(v) < 3; v += await one(2))
        await fm_yield();
    if (await one(1) && !await one(2))
        return await fm_get(t), await fm_within(FM_S(1), one(3));
    f = await fm_attempt(&v, one(await one(4)));
    if (f || await fm_attempt(NULL, nothing()))
        return (int)sizeof(await one(1));
    await fm_all_of(t, u);
    FM_VALUE(int) w = fm_value(one(1));
    FM_TASK(int) s = fm_start(one(await one(1)));
    v = await fm_within(FM_S(2), fm_get(t)) + await fm_anywhere(one(1));
    FM_TASK(int) both[2];
    for (v = 0; v < 2; v++)
        both[v] = fm_start(one(v));
    *both = (v == 2 ? fm_start(one(2)) : both[1]);
    await fm_all(both, 2);
    FM_SOURCE(void) p1 = fm_source_new(void);
    FM_SOURCE(handler *) p2 = fm_source_new_queued(handler *);
    fm_source_set_void(p1);
    fm_source_set(p2, r->serve);
    fm_source_release(p1);
    fm_source_release(p2);
    await fm_join(u);
    return await fm_take(&w) + a[await one(0)] + p.a + await fm_join(s);
}
async int main(void)
{
    return await one(0);
}

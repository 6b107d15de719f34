// A null pointer for an attempt's or a begin's result drops it.
#include <fermata.h>
#include <stdio.h>

struct large {
    int a[30];
};
static int w;
static async int one(int x)
{
    if (w)
        await fm_yield();
    if (x < 0)
        fm_throw(3, "negative");
    return x;
}
static async struct large big(int x)
{
    struct large l = {{x}};

    l.a[1] = await one(x);
    return l;
}
static async void nothing(void)
{
    if (w)
        await fm_yield();
}
static async int attempts(void)
{
    int bad = 0;

    for (int i = 1; i > -2; i -= 2) {
        bad += (await fm_attempt(NULL, one(i)) != NULL) != (i < 0);
        bad += (await fm_attempt(NULL, big(i)) != NULL) != (i < 0);
    }
    bad += await fm_attempt(NULL, nothing()) != NULL;
    FM_TASK(int) t = fm_begin(NULL, one(4));
    FM_TASK(struct large) u = fm_begin(NULL, big(5));
    if (t)
        bad += await fm_join(t) != 4;
    if (u)
        bad += (await fm_join(u)).a[1] != 5;
    return bad + (!!t != w) + (!!u != w);
}
int main(void)
{
    int bad = 0;

    for (w = 0; w < 2; w++) {
        bad += fm_wait(attempts());
        bad += fm_attempt_wait(NULL, one(1)) != NULL;
        bad += fm_attempt_wait(NULL, big(-1)) == NULL;
        bad += fm_attempt_wait(NULL, nothing()) != NULL;
    }
    printf("%d wrong\n", bad);
    return bad;
}

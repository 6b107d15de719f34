// Types of handles and async functions are written in messages as in sources.
#include <fermata.h>
static async int f(int x)
{
    return x;
}
static async void v(void)
{
}
static int plain(int x)
{
    return x;
}
typedef async int handler(int);
typedef FM_TASK(int) job;
static async int handles(void)
{
    FM_TASK(char *) a = fm_start(f(3));
    FM_TASK(int) b = await f(3);
    fm_task *c = fm_start(f(3));
    int d = fm_start(f(3));
    job e = fm_start(v());
    const job *list = &e;
    int *g = list;
    FM_VALUE(int) h = fm_value(f(2));
    FM_SOURCE(int) s = fm_source_new(int);

    fm_source_set(s, "abc");
    fm_source_set_void(s);
    await fm_get(s);
    await fm_take(h);
    await fm_get(h);
    await fm_all(g, 2);
    return d + (a && b && c);
}
static async int pointers(void)
{
    handler *h = plain;
    int (*p)(int) = f;

    return await h(p(2));
}

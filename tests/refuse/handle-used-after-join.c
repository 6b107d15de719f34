// A handle that is used after it was given back, for certain, is a warning.
#include <fermata.h>
static async int f(int x) { await fm_yield(); return x; }
async int main(void)
{
    FM_TASK(int) t = fm_start(f(1)), u = fm_start(f(2)), w = fm_start(f(3)), k;
    int s = await fm_join(t);
    s += await fm_get(t);
    fm_release(u);
    if (s)
        fm_cancel(u);
    await fm_join(w);
    w = fm_start(f(4));
    s += await fm_join(w);
    k = fm_start(f(1));
    if (s) {
        await fm_join(k);
        return 0;
    }
    await fm_join(k);
    fm_cancel(k);
    k = NULL;
    fm_release(k);
    for (int i = 0; i < 3; i++) {
        FM_TASK(int) q = fm_start(f(i));
        s += await fm_join(q);
        q = s ? NULL : fm_start(f(2));
        if (q)
            await fm_join(q);
    }
    return s;
}

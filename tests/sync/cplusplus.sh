# Every form of sync.h compiles and works in C++, and refuses the wrong type.
cat >x.cpp <<'END'
#include <cstdio>
#define FERMATA_KEYWORDS
#include <fermata/sync.h>
struct point { int x, y; };
async void sends(FM_CHANNEL(point) c, FM_CHANNEL(int) d, fm_mutex *m)
{
    fm_with_lock(m);
    await fm_send(c, point{1, 2});
    await fm_send(d, 5);
    fm_channel_close(c);
}
async int main(void)
{
    FM_CHANNEL(point) c = fm_channel_new(point, 0);
    FM_CHANNEL(int) d = fm_channel_new(int, 3);
    fm_mutex m = FM_MUTEX_INIT;
    point p = {0, 0};
    int n = 0, sum = 0;
    bool more = true;
    {
        FM_GROUP(g);
        fm_group_start(&g, sends(c, d, &m));
        while (await fm_receive(c, &p))
            sum += p.x + p.y;
        int i = await fm_select(FM_FOREVER, FM_RECEIVE(c, &p, &more),
                                FM_RECEIVE(d, &n, nullptr));
        std::printf("%d %d %d\n", i, more, sum);
        await fm_group_close(&g);
    }
    std::printf("%d %d\n", fm_try_receive(d, &n), n);
    fm_channel_release(c);
    fm_channel_release(d);
    return 0;
}
#ifdef WRONG
async void wrong(FM_CHANNEL(int) c, long *n) { await fm_receive(c, n); }
#endif
END
${CC%cc}c++ -std=c++17 -Wall -Wextra -O1 x.cpp -o x 2>err || { cat err >&2; exit 1; }
[ ! -s err ] || { cat err >&2; exit 1; }
[ "$(./x)" = "0 0 3
1 5" ] || { ./x >&2; exit 1; }
if ${CC%cc}c++ -std=c++17 -DWRONG -c x.cpp 2>err; then exit 1; fi
grep -q 'the out parameter must point to' err

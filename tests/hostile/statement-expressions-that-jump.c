// Statement expressions with awaits may return, break and continue.
// plain
#include <fermata.h>
#include <stdio.h>

static async int val(int v) { await fm_yield(); return v; }
#define TRY(e) ({ int r_ = (e); if (r_ < 0) return r_; r_; })
#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b);         \
                     a_ > b_ ? a_ : b_; })

static async int
early(int n)
{
    int a = TRY(await val(n)) + TRY(await val(n - 1));
    return a + TRY(await val(5)) * MAX(await val(2), await val(n));
}
static async int
jumps(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += await val(1) + ({ if (await val(i == 2)) continue;
                               if (await val(i == 5)) break; i; });
        s *= ({ __label__ out; int k = 0;
                for (;;) if (await val(++k > 2)) goto out;
                out: k; });
        s += MAX(MAX(await val(i), 1), MAX(await val(3), s & 7));
    }
    return s;
}

async int
main(void)
{
    printf("%d %d %d\n", await early(4), await early(0), await early(-3));
    printf("%d\n", await jumps(9));
    return 0;
}

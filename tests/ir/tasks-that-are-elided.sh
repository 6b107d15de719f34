# With optimisation a task that is awaited at once is none.
cat >elided.c <<'END'
#include <fermata.h>
struct big { int a[20]; };
struct odd { int a, b, c; };
async int made(int x) { return await fm_join(fm_completed(int, x + 1)); }
async _Bool bit(int x) { return await fm_join(fm_completed(_Bool, x)); }
async struct big big(int x)
{
    return await fm_join(fm_completed(struct big, {{x, 2}}));
}
async struct odd odd(int x)
{
    FM_TASK(struct odd) t = fm_completed(struct odd, {x, 2, 3});
    return await fm_join(t);
}
async void none(void) { await fm_get(fm_completed_void()); }
async int caught(int x)
{
    int r = 0;
    fm_fault *f;

    fm_try {
        FM_TASK(int) t = fm_completed(int, x);
        r = await fm_join(t);
    } fm_catch (f) {
        r = -1;
    }
    return r;
}
async int started(int x)
{
    FM_TASK(int) t = fm_start(made(x));
    return await fm_join(t) + await fm_join(fm_start(made(1)));
}
END
cat >kept.c <<'END'
#include <fermata.h>
async int kept(int x)
{
    FM_AUTO FM_TASK(int) t = fm_completed(int, x);
    return await fm_get(t) + await fm_get(t);
}
END
cat >main.c <<'END'
#include <fermata.h>
#include "elided.c"
#include "kept.c"
async int main(void)
{
    struct big b = await big(3);
    struct odd o = await odd(4);

    await none();
    return await made(2) + 2 * await bit(5) + b.a[0] + b.a[1] + b.a[2] +
           o.a + o.c + await caught(4) + await kept(5) + await started(6) -
           40;
}
END
for level in -O0 -O2; do
    for unit in elided kept main; do
        $CC $level -c $unit.c || exit 1
    done
    $CC main.o -o main && ./main || exit 1
done
nm kept.o | grep -q fm_abi_completed || exit 1
! nm elided.o | grep fm_abi

// Awaits that continue at one place and carry the same share a state.
// dump: split
#include <fermata.h>
extern async long f(long);
extern async long g(long, long);
extern async void note(long);
extern void done(void);

async long
pick(long odd, long x, long keep)
{
    long r = odd ? await f(x) : await g(x, 1);
    return r * 2 + keep;
}

async void
results_unused(int k, long x)
{
    switch (k) {
    case 0: await note(x); break;
    case 1: await f(x); break;
    case 2: await note(x + 1); break;
    }
    done();
}

async long
other_value_carried(int k, long x, long y)
{
    if (k)
        x = await f(y);
    else
        y = await f(x + 1);
    return x * y;
}

async long
other_handler(int k, long x)
{
    fm_fault *e;
    if (k) {
        await note(x);
    } else {
        fm_try {
            await note(x);
        } fm_catch (e) {
            x = 0;
        }
    }
    done();
    return x;
}

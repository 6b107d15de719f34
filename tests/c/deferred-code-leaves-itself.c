// Deferred code that jumps out of itself is refused, each at its place.
#include <fermata.h>

async int step(int v);
async int broken(int n)
{
    for (;;) {
        FM_DEFER {
            if (n)
                break;
        }
        FM_DEFER {
            if (n > 1)
                return 3;
        }
        n = await step(n);
    }
    return n;
}
int jumps(int n)
{
    FM_DEFER {
        if (n)
            goto out;
    }
    n++;
out:
    return n;
}
async int jumped_into(int n)
{
    FM_DEFER {
    again:
        n = await step(n);
    }
    if (n)
        goto again;
    return n;
}

// A cleanup that awaits runs on return, break, goto and fault.
#include <fermata.h>
#include <stdio.h>

static async void
end(int *p)
{
    printf(" <%d", *p);
    await fm_yield();
    printf(" %d>", *p);
}
#define GUARD(name, n) __attribute__((cleanup(end))) int name = (n)

static async int
ways(int way)
{
    GUARD(a, 1);
    for (int i = 0; i < 2; i++) {
        GUARD(b, 10 + i);
        if (way == 0)
            continue;
        await fm_yield();
        {
            GUARD(c, 20 + i);
            if (way == 1)
                break;
            if (way == 2)
                goto out;
            if (way == 3)
                return c;
            if (way == 4)
                fm_throw(FM_CODE_USER + 4, "four");
        }
    }
out:
    return a;
}

async int
main(void)
{
    fm_fault *f;
    for (int way = 0; way < 6; way++) {
        int r = -1;
        fm_try {
            r = await ways(way);
        } fm_catch (f) {
            printf(" %s", fm_fault_message(f));
        }
        printf(" -> %d\n", r);
    }
    return 0;
}

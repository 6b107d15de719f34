/* A cancelled fm_blocking of a function that never unwinds runs handlers and
 * cleanups. */
#include <errno.h>
#include <fermata.h>
#include <stdio.h>
#include <unistd.h>

static int __attribute__((nothrow))
quiet(int n)
{
    return n + 1;
}

async int
with_cleanup(int n)
{
    FM_DEFER printf("cleanup\n");
    return await fm_blocking(quiet(n)) + await fm_blocking(getppid()) * 0;
}

async int
with_handler(int n)
{
    fm_fault *f;
    int got = -1;
    fm_try {
        got = await fm_blocking(quiet(n));
        got += await fm_blocking(quiet(got));
    } fm_catch (f) {
        printf("caught %d\n", fm_fault_code(f) == ECANCELED);
    }
    return got;
}

async int
main(void)
{
    int out = 0;
    printf("%d %d\n", await with_cleanup(1), await with_handler(3));
    fm_cancel_source *s = fm_cancel_source_new();
    fm_cancel_source_fire(s);
    {
        fm_with_token(fm_cancel_source_token(s));
        fm_fault *f = await fm_attempt(&out, with_cleanup(5));
        printf("%d %d\n", out, f && fm_fault_code(f) == ECANCELED);
        printf("%d\n", await with_handler(7));
    }
    fm_cancel_source_release(s);
    return 0;
}

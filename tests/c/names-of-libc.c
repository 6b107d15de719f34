// Async functions named like libc's keep their faults and cleanups.
#include <fermata.h>
#include <stdio.h>

static void
say(int *p)
{
    printf("cleanup %d\n", *p);
}

static async int
stat(const char *path, int v)
{
    (void)path;
    await fm_yield();
    if (v > 1)
        fm_throw(FM_CODE_USER, "stat %d", v);
    return v;
}
static async int
open(const char *path, int v)
{
    __attribute__((cleanup(say))) int g = v;
    return await stat(path, v) + g;
}
static async long read(int v) { return await open("y", v); }
static async void close(int v) { await read(v); }
static async int
unlink(int v)
{
    await fm_yield();
    fm_throw(FM_CODE_USER, "unlink %d", v);
}
async int
access(int v)
{
    __attribute__((cleanup(say))) int g = v + 100;
    return await unlink(v) + g;
}

async int
main(void)
{
    fm_fault *f;
    printf("%d\n", await open("x", 1));
    fm_try {
        await close(2);
    } fm_catch (f) {
        printf("%s\n", fm_fault_message(f));
    }
    fm_try {
        await access(3);
    } fm_catch (f) {
        printf("%s\n", fm_fault_message(f));
    }
    return 0;
}

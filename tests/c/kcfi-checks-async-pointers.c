// With -fsanitize=kcfi right calls go on; a mistyped one is trapped, whether
// it is awaited or started.
// flags: -fsanitize=kcfi
// not: asan
#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct big {
    long v[9];
};

static async int
twice(int x)
{
    await fm_yield();
    return 2 * x;
}

static async struct big
bigger(int x)
{
    await fm_yield();
    return (struct big){{x}};
}

static async int (*volatile f)(int) = twice;
static async struct big (*volatile h)(int) = bigger;
static async int (*volatile wrong)(int);

static async int
awaits(void)
{
    return await wrong(1);
}

static async int
starts(void)
{
    FM_TASK(int) t = fm_start(wrong(1));
    return await fm_join(t);
}

static async void
child_calls(int how)
{
    exit((how ? await starts() : await awaits()) & 1);
}

async int
main(void)
{
    FM_TASK(int) t = fm_start(f(5));
    struct big b = await h(7);
    int a = await f(1);

    a += await fm_join(t);
    printf("%d %ld\n", a, b.v[0]);
    fflush(stdout);
    memcpy((void *)&wrong, (void *)&h, sizeof h);
    for (int how = 0; how < 2; how++) {
        int status;
        pid_t child = fork();
        if (child == 0)
            await child_calls(how);
        waitpid(child, &status, 0);
        printf("%d: %s\n", how,
               WIFSIGNALED(status) ? "trapped" : "not trapped");
        fflush(stdout);
    }
    return 0;
}

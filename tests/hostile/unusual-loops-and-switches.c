// Ugly control flow with awaits does what plain C does.
// plain
// not: gcc
#include <fermata.h>
#include <stdio.h>

static async int val(int v) { await fm_yield(); return v; }
static int log_;
#define L(n) (log_ = log_ * 3 + (n))

static async int
coroutine(int *state, int *i)
{
    switch (*state) {
        for (;;) {
        case 0:
            for (*i = 0; *i < 3; ++*i) {
                *state = 1;
                return await val(*i);
        case 1:;
            }
            *state = 2;
            return await val(100);
        case 2:;
        }
    }
    return -1;
}
static async int
spaghetti(int n)
{
    int a = 0, b = 1;
    goto middle;
top:
    if (await val(n-- > 0)) {
        a += b;
        goto left;
    right:
        b += await val(a);
        if (n & 1)
            goto top;
    }
    goto bottom;
left:
    do {
        if (b > 50)
            goto bottom;
        while (await val(b & 1)) {
        middle:
            b++;
            if (a == 3)
                break;
            if (n == 4)
                goto right;
        }
    } while (await val((b += 3) < 20));
    goto right;
bottom:
    return L(a) + await val(b);
}
static async int
one_liners(int n)
{
    int r = 0;
    switch (await val(n)) default: r = await val(1);
    switch (n) case 3: if (0) case 4: r += await val(10); else r += 100;
    if (n) for (int i = 0; i < 2; i++) while (await val(0)) ; else r = 9;
    for (;; ({ r++; })) if ((r += await val(90)) > 200) break;
    do ; while (await val(0));
    while (await val(r--), r > 190) ;
    return r;
}
static async int
unreachable_code(int n)
{
    if (0) {
    hidden:
        n += await val(5);
        if (0)
            await val(1);
    } else if (n < 10) {
        n += 10;
        goto hidden;
    }
    while (0)
        await val(2);
    return n;
    await val(3);
    for (;;)
        await val(4);
}
static async int
endless_inner(int n)
{
    for (;;) {
        for (;;) {
            if (await val(n & 1))
                break;
            n = n * 3 + 1;
            if (n > 1000)
                return n;
        }
        n = n * 3 + 1;
        if (n > 1000)
            return -n;
    }
}

async int
main(void)
{
    int state = 0, i = 0;
    for (int k = 0; k < 9; k++)
        printf("%d ", await coroutine(&state, &i));
    printf("\n");
    for (int n = 0; n < 7; n++)
        printf("%d %d %d %d\n", await spaghetti(n), await one_liners(n),
               await unreachable_code(n), await endless_inner(n));
    printf("%d\n", log_);
    return 0;
}

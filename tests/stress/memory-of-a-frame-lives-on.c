// alloca, nested arrays of variable length, asm, cleanups, computed goto.
// flags: -ffermata-stress=12,1 -w -std=gnu11
#include <alloca.h>
#include <stdio.h>
#include <string.h>

static int add(int a, int b) { return a + b; }

static int vla(int n)
{
    int s = 0;

    for (int i = 1; i <= n; i++) {
        int row[i][n];

        for (int j = 0; j < i; j++) {
            char name[j + 2];

            memset(name, 'a' + j, j + 1), name[j + 1] = 0;
            for (int k = 0; k < n; k++)
                row[j][k] = add(k, (int)strlen(name));
            s = add(s, name[j]);
            if (j == 3)
                goto next;
        }
        s = add(s, (int)sizeof row + row[i - 1][n - 1]);
    next:;
    }
    return s;
}

static int bound(int n, int a[n][add(n, 1)])
{
    return (int)sizeof *a / 4;
}

static char *list(int n)
{
    static char out[128];
    char *head = NULL;

    for (int i = 0; i < n; i++) {
        char *p = alloca(sizeof(char *) + 8);

        memcpy(p, &head, sizeof head);
        p[sizeof head] = (char)('a' + add(i, 0));
        head = p;
    }
    for (int k = 0; head; k = add(k, 1)) {
        out[k] = head[sizeof head], out[k + 1] = 0;
        memcpy(&head, head, sizeof head);
    }
    return out;
}

static int wide(int n)
{
    int r = n;

#ifdef __x86_64__
    __asm__ volatile("addl %1, %0" : "+r"(r) : "r"(add(n, 1)) : "cc");
    asm goto("testl %0, %0; jz %l1" : : "r"(add(n, -3)) : "cc" : zero);
    return r;
zero:
    return -add(r, n);
#else
    r += add(n, 1);
    return n == 3 ? -add(r, n) : r;
#endif
}

static int interpret(const char *p)
{
    static void *const to[] = {&&inc, &&dbl, &&end};
    int acc = 1;

    goto *to[*p++ - '0'];
inc:
    acc = add(acc, 1);
    goto *to[*p++ - '0'];
dbl:
    acc = add(acc, acc);
    goto *to[*p++ - '0'];
end:
    return acc;
}

static void close_it(int *p) { printf("closed %d\n", add(*p, 0)); }

static int scoped(int n)
{
    __attribute__((cleanup(close_it))) int outer = n;

    for (int i = 0; i < 2; i++) {
        __attribute__((cleanup(close_it))) int inner = n * 10 + i;
        if (add(i, n) == 3)
            return ({ int t = add(inner, 1); t * 2; });
    }
    return 0;
}

int main(void)
{
    int five[4][5];

    printf("%d %d %s\n", vla(6), bound(4, five), list(9));
    printf("%d %d %d\n", wide(3), wide(4), interpret("01012"));
    printf("%d\n", scoped(1));
    printf("%d\n", scoped(2));
    return 0;
}

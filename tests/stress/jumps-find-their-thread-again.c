// A jump back over suspended calls, or to another stack, finds its thread.
// flags: -ffermata-stress=1,1 -w
// not: asan
// (what a jump leaves, it does not free, as with arrays of variable size)
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

static jmp_buf place;
static ucontext_t here, there;
static char stack[1 << 16];

static int deep(int n)
{
    if (n == 0)
        longjmp(place, 7);
    return deep(n - 1) + 1;
}

static int compare(const void *a, const void *b)
{
    if (*(const int *)a == 3)
        longjmp(place, 9);
    return *(const int *)a - *(const int *)b;
}

static int add(int a, int b) { return a + b; }

/* Lua's way: the function is called below setjmp, whoever jumps. */
static int protected(void (*f)(int), int n)
{
    volatile int before = n;
    int how = setjmp(place);

    if (how == 0)
        f(n);
    return how * 10 + add(before, n);
}

static void falls(int n) { deep(n); }
static void sorts(int n)
{
    int a[] = {5, n, 1, 3};

    qsort(a, 4, sizeof *a, compare);
}
static void nests(int n)
{
    jmp_buf outer;

    *outer = *place;
    printf("inner %d\n", protected(falls, n));
    *place = *outer;
    longjmp(place, 3);
}
static void stays(int n) { add(n, n); }

static void other(void)
{
    for (int i = 0; i < 3; i++) {
        printf("there %d\n", add(i, 10));
        swapcontext(&there, &here);
    }
}

static void switches(void)
{
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &here;
    makecontext(&there, other, 0);
    for (int i = 0; i < 4; i++) {
        swapcontext(&here, &there);
        printf("here %d\n", add(i, 20));
    }
}

int main(void)
{
    for (int i = 1; i < 4; i++)
        printf("%d %d %d %d\n", protected(falls, i), protected(sorts, i),
               protected(nests, i), protected(stays, i));
    switches();
    return 0;
}

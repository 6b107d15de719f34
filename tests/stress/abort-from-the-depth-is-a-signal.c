// abort() below suspended calls is the signal that it was; noreturn holds.
// flags: -ffermata-stress=4,1 -w
#include <stdio.h>
#include <stdlib.h>

static int add(int a, int b) { return a + b; }

__attribute__((noreturn)) static void die(const char *why)
{
    printf("%s\n", why);
    fflush(stdout);
    for (int i = 0;; i = add(i, 1))
        if (i == 5)
            abort();
}

static int fall(int n)
{
    if (n < 0)
        die("below zero");
    return fall(n - 1) + 1;
}

int main(void) { return fall(3); }

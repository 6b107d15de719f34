// qsort, bsearch, variadic callbacks and va_list go through the library.
// flags: -ffermata-stress=9,1 -w
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls, inside;
static int sign(int n) { return (n > 0) - (n < 0); }

static int compare(const void *a, const void *b)
{
    int inner[] = {3, 1, 2};

    calls++;
    if (calls % 5 == 0 && !inside) { /* sorts while it is sorted */
        inside = 1;
        qsort(inner, 3, sizeof *inner, compare);
        inside = 0;
    }
    return sign(*(const int *)a - *(const int *)b);
}

static int text(const void *a, const void *b)
{
    return sign(strcmp(*(char *const *)a, *(char *const *)b));
}

static int sum(int n, ...)
{
    va_list ap;
    int s = 0;

    va_start(ap, n);
    while (n--)
        s += sign(va_arg(ap, int)) * 3;
    va_end(ap);
    return s;
}

static double take(va_list ap, int n)
{
    double s = 0;

    for (int i = 0; i < n; i++)
        s += i % 2 ? va_arg(ap, double) : va_arg(ap, int);
    return s;
}

static double mixed(int n, ...)
{
    va_list ap, copy;
    double s;

    va_start(ap, n);
    va_copy(copy, ap);
    s = take(ap, n) + take(copy, n) * 100;
    va_end(copy);
    va_end(ap);
    return s;
}

static void say(char *out, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vsprintf(out, format, ap);
    va_end(ap);
}

static void walk(const void *node, VISIT order, int level)
{
    if (order == postorder || order == leaf)
        printf("%s%d ", "", **(int *const *)node);
}

int main(void)
{
    int a[30], key = 16, *hit;
    char *words[] = {"pear", "apple", "fig", "kiwi"}, out[64];
    int (*variadic)(int, ...) = sum;
    void *tree = NULL;

    for (int i = 0; i < 30; i++)
        a[i] = i * 7919 % 31;
    qsort(a, 30, sizeof *a, compare);
    hit = bsearch(&key, a, 30, sizeof *a, compare);
    qsort(words, 4, sizeof *words, text);
    printf("%d %d %s %s\n", hit ? *hit : -1, a[29], words[0], words[3]);
    printf("%d %d\n", sum(4, 5, -6, 7, 8), variadic(2, 1, 1));
    printf("%.1f\n", mixed(4, 1, 2.5, 3, 4.5));
    say(out, "%d-%s-%.2f", 5, "x", 1.25);
    puts(out);
    for (int i = 0; i < 8; i++)
        tsearch(&a[i * 3], &tree, compare);
    twalk(tree, walk);
    puts("");
    while (tree)
        tdelete(*(void **)tree, &tree, compare);
    return 0;
}

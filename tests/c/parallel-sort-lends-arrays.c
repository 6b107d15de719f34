// Parallel merge sort: tasks that start tasks, arrays lent across awaits.
// not: alloc
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned seed = 7;
static int steps;
async void merge(int *a, int n, int m, int *tmp)
{
    int i = 0, j = m, k = 0;
    while (i < m || j < n) {
        if (k % 64 == 63)
            await fm_yield();
        tmp[k++] = j >= n || (i < m && a[i] <= a[j]) ? a[i++] : a[j++];
    }
    memcpy(a, tmp, sizeof(int) * (size_t)n);
    steps++;
}
async int sort(int *a, int n)
{
    if (n < 2)
        return 1;
    int tmp[n], m = n / 2;
    FM_TASK(int) left = fm_start(sort(a, m));
    int depth = await sort(a + m, n - m);
    int other = await fm_join(left);
    await merge(a, n, m, tmp);
    return 1 + (depth > other ? depth : other);
}
async int main(void)
{
    enum { N = 3000 };
    int *a = malloc(N * sizeof *a), bad = 0;
    FM_DEFER free(a);
    for (int i = 0; i < N; i++)
        a[i] = (int)((seed = seed * 1103515245u + 12345u) >> 8) % 10000;
    int depth = await sort(a, N);
    for (int i = 1; i < N; i++)
        bad += a[i - 1] > a[i];
    printf("%d bad, depth %d, %d merges\n", bad, depth, steps);
    return bad;
}

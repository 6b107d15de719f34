/* queens.c [N]: counts the ways to place N queens on a board so that none
 * threatens another: a computation on all cores. */
#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>

/* Ways to fill the rows from `row` on; the masks are the columns and the two
 * diagonals that are taken. A row near the top is worth a task for each of
 * its fields; below it is an ordinary loop. */
async long ways(int n, int row, unsigned columns, unsigned left,
                unsigned right)
{
    FM_TASK(long) t[16];
    int tasks = 0;
    long sum = 0;

    if (row == n)
        return 1;
    for (int i = 0; i < n; i++) {
        unsigned here = 1u << i;
        if ((columns | left | right) & here)
            continue;
        if (row < 3)
            t[tasks++] = fm_start_on(
                fm_pool(), ways(n, row + 1, columns | here, (left | here) << 1,
                                (right | here) >> 1));
        else
            sum += await ways(n, row + 1, columns | here, (left | here) << 1,
                              (right | here) >> 1);
    }
    for (int i = 0; i < tasks; i++)
        sum += await fm_join(t[i]);
    return sum;
}

async int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10;

    if (n < 1 || n > 16)
        return 1;
    printf("%d queens: %ld ways\n", n, await ways(n, 0, 0, 0, 0));
    return 0;
}

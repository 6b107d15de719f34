// Calls of ordinary C before, between and after suspensions are right.
// plain
// id: T16
#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static async int
sorted(const char *text)
{
    int v[8], n = 0;
    char copy[64], *save, *word;
    strcpy(copy, text);
    for (word = strtok_r(copy, " ", &save); word;
         word = strtok_r(NULL, " ", &save)) {
        await fm_yield();
        v[n++] = atoi(word);
    }
    qsort(v, (size_t)n, sizeof(int), compare);
    await fm_yield();
    snprintf(copy, sizeof(copy), "%d..%d", v[0], v[n - 1]);
    await fm_yield();
    puts(copy);
    return n;
}

async int
main(void)
{
    printf("%d\n", await sorted("5 3 9 1 7"));
    return 0;
}

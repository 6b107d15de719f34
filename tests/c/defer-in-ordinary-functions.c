// FM_DEFER works in ordinary functions, by every way out.
#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>

static int count(int n)
{
    char *p = malloc(10);
    FM_DEFER free(p);
    int seen = 0;
    for (int i = 0; i < n; i++) {
        FM_DEFER { printf(" %d", i); seen++; }
        FM_DEFER {
            for (int k = 0; k < 3; k++) {
                FM_DEFER printf("%c", 'a' + k);
                if (k == 1) break;
            }
        }
        if (i == 1) continue;
        if (i == 3) goto out;
        if (i == 2 && n == 3) return seen;
    }
out:
    return -seen;
}
async int main(void)
{
    for (int n = 1; n < 6; n++)
        printf(" = %d\n", count(n));
    return 0;
}

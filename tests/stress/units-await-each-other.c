// Converted units await each other; where the types differ, the plain entry.
// flags: -ffermata-stress=5,1 -w
// with: parts/other.c
#include <stdio.h>
int other(int n);

typedef void void_fn(int);
typedef int int_fn(int);
static int seen;
static void note(int n) { seen += n; }
static int twice(int n) { return 2 * n; }

int main(void)
{
    void_fn *wrong = (void_fn *)twice; // called, its result is not looked at
    void_fn *right = note;
    int_fn *same = twice;

    right(3);
    wrong(4);
    printf("%d %d %d %d\n", other(5), seen, same(6), same == twice);
    return 0;
}

// main is called as any function is, directly and by its address.
// flags: -ffermata-stress=6,1 -w
#include <stdio.h>

static int (*again)(int, char **);

int main(int argc, char **argv)
{
    static int calls;

    if (++calls == 1) {
        again = main;
        printf("%d\n", main(argc + 10, argv));
    } else if (calls == 2) {
        printf("%d\n", again(argc + 100, argv));
    }
    return argc & 127;
}

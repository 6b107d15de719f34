// A call that must be in tail position takes no stack at any level.
// flags: -ffermata-stress=15,1 -w
#include <stdio.h>

typedef long step(const unsigned char *code, long acc);
static step inc, twice, jump, stop;
static step *const steps[] = {inc, twice, jump, stop};
static long left = 300000;

static long add(long a, long b) { return a + b; }

#define NEXT(code, acc) \
    __attribute__((musttail)) return steps[*(code)](code, acc)

static long inc(const unsigned char *code, long acc)
{
    acc = add(acc, 1) % 1000003;
    NEXT(code + 1, acc);
}

static long twice(const unsigned char *code, long acc)
{
    acc = add(acc, acc) % 1000003;
    NEXT(code + 1, acc);
}

static long jump(const unsigned char *code, long acc)
{
    left = add(left, -1);
    code = left ? code - 2 : code + 1;
    NEXT(code, acc);
}

static long stop(const unsigned char *code, long acc) { return acc; }

int main(void)
{
    static const unsigned char code[] = {0, 1, 2, 3};

    printf("%ld\n", steps[code[0]](code, 1));
    return 0;
}

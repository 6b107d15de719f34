#!/bin/sh
# A fault that leaves main is reported with its async trace: exit 1.
cat >x.c <<'END'
#include <fermata.h>
static async void fails(int n)
{
    await fm_yield();
    fm_throw(2, "no file %d", n);
}
async int main(void)
{
    await fails(3);
    return 0;
}
END
$CC -O0 x.c -o x || exit 1
timeout 5 ./x 2>err
code=$?
cat >want <<'END'
fermata: main: fault 2 (ENOENT): no file 3, at x.c:5
  at fails (x.c:5)
  at main (x.c:9)
END
[ $code = 1 ] && cmp want err || { cat err; echo "exit $code"; exit 1; }

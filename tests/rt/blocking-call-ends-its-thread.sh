#!/bin/sh
# A call of fm_blocking that ends its thread ends the program with a sentence:
# nobody waits for ever.
cat >x.c <<'END'
#include <fermata.h>
#include <pthread.h>

static int ends(void) { pthread_exit(NULL); }

async int main(void) { return await fm_blocking(ends()); }
END
$CC -O1 x.c -o x || exit 1
timeout 10 ./x 2>err
code=$?
[ $code = 134 ] && grep -q 'has ended its thread' err && exit 0
echo "exit $code: $(cat err)" >&2
exit 1

#!/bin/sh
# Whichever allocation fails in groups and channels, the fault is ENOMEM, the
# tasks of the group end, and nothing stays locked.
cat >x.c <<'END'
#include <errno.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <stdio.h>
static fm_mutex mutex;
static int running;
struct large { char text[100]; };
static void left(int *one) { running -= *one; }
async void sends(FM_CHANNEL(struct large) c, int i)
{
    __attribute__((cleanup(left))) int one = 1;
    running++;
    await fm_send(c, {{(char)i}});
    fm_with_lock(&mutex);
    await fm_yield();
}
async void all(FM_CHANNEL(struct large) c)
{
    struct large out;
    bool more;
    FM_GROUP(g);
    for (int i = 0; i < 4; i++)
        fm_group_start(&g, sends(c, i));
    for (int i = 0; i < 4; i++)
        await fm_select(FM_MS(10), FM_RECEIVE(c, &out, &more));
    await fm_group_close(&g);
}
async int main(void)
{
    FM_CHANNEL(struct large) c = fm_channel_new(struct large, 0);
    if (!c)
        return 0;
    for (int i = 0; i < 3; i++) {
        fm_fault *f = await fm_attempt(NULL, all(c));
        if (f && fm_fault_code(f) != ENOMEM)
            return printf("fault %d\n", fm_fault_code(f)), 9;
        if (running)
            return printf("%d still run\n", running), 9;
        if (!fm_try_lock(&mutex))
            return puts("locked"), 9;
        fm_unlock(&mutex);
    }
    fm_channel_release(c);
    return 0;
}
END
$CC -O1 x.c -o x || exit 1
FERMATA_FAIL_ALLOC=100000 timeout 5 ./x || exit 1
n=1 failed=0
while [ $n -lt 90 ]; do
    FERMATA_FAIL_ALLOC=$n timeout 5 ./x >o.txt 2>e.txt
    code=$?
    case $code in
    0) ;;
    1) grep -q 'ENOMEM' e.txt || { cat o.txt e.txt >&2; echo "$n: exit 1"; exit 1; } ;;
    134) grep -q 'of memory\|no event loop\|cannot have a loop' e.txt ||
        { cat o.txt e.txt >&2; echo "$n: exit $code"; exit 1; }
        failed=$((failed + 1)) ;;
    *) cat o.txt e.txt >&2; echo "$n: exit $code"; exit 1 ;;
    esac
    n=$((n + 1))
done
[ $failed -lt 8 ] || { echo "$failed of $n ended the program"; exit 1; }

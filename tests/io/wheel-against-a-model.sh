# The wheel of timers, on a clock of the test's own, fires as a sorted list does: never early, in order, hours ahead too.
cat >model.c <<'X'
#include <io/wheel.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 3000, TICK = 1 << 20 };
static int64_t now = 12345678901;
static fm_timer timers[N];
static char armed[N];
static unsigned long long seed = 88172645463325252;
int64_t fm_now(void) { return now; }
static unsigned long long
roll(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}
static void
fail(const char *what)
{
    printf("%s at %lld\n", what, (long long)now);
    exit(1);
}
/* Everything due is taken, in order; a late one is late by a tick at most. */
static void
take_due(struct fm__wheel *w, int64_t slack)
{
    int64_t last = 0;
    fm_timer *t;
    fm__wheel_advance(w, now);
    while ((t = fm__wheel_take(w, now))) {
        if (t->deadline > now)
            fail("early");
        if (t->deadline < last)
            fail("out of order");
        if (t->deadline < now - TICK - slack)
            fail("late");
        last = t->deadline;
        if (!armed[t - timers])
            fail("fired twice");
        armed[t - timers] = 0;
    }
    for (int i = 0; i < N; i++)
        if (armed[i] && timers[i].deadline <= now - TICK)
            fail("forgotten");
}
int
main(void)
{
    static struct fm__wheel w;
    size_t count = 0;
    for (int step = 0; step < 60000; step++) {
        int i = (int)(roll() % N);
        int64_t slack = 0, next;
        switch (roll() % 8) {
        case 0: case 1: case 2: case 3:
            if (armed[i])
                break;
            timers[i].deadline = now + (int64_t)(roll() >> (12 + roll() % 50));
            if (roll() % 500 == 0)
                timers[i].deadline = INT64_MAX;
            fm__wheel_start(&w, &timers[i]);
            armed[i] = 1;
            break;
        case 4: case 5:
            if (fm__wheel_stop(&w, &timers[i]) != armed[i])
                fail("stop");
            armed[i] = 0;
            break;
        case 6: /* sleeps until it is time */
            next = fm__wheel_next(&w);
            for (int k = 0; k < N; k++)
                if (armed[k] && timers[k].deadline < next - TICK)
                    fail("would sleep too long");
            if (next < INT64_MAX / 2)
                now = next > now ? next : now;
            take_due(&w, slack);
            break;
        case 7: /* looks late */
            slack = (int64_t)(roll() >> (24 + roll() % 40));
            now += slack;
            take_due(&w, slack);
            break;
        }
        if (now > INT64_MAX / 4)
            break;
    }
    for (int i = 0; i < N; i++)
        count += (size_t)armed[i];
    if (count != w.count)
        fail("count");
    return 0;
}
X
clang-19 -std=c17 -O1 -fexceptions -g -fsanitize=address,undefined \
    -fno-sanitize-recover=undefined -I"$TOP/include" -I"$TOP/src" \
    -Dfermata_plugin_missing_compile_with_fermata_cc=environ \
    -o model model.c "$TOP/src/io/wheel.c" || exit 1
./model

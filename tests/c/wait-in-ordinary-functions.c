// Ordinary C waits for async calls, gets their results, or their faults.
#include <fermata.h>
#include <stdio.h>

struct large { long a[7]; };
static int wait_now;

static async int plus(int x)
{
    if (wait_now) await fm_yield();
    return x + 1;
}
static async struct large larger(struct large v)
{
    v.a[0]++;
    if (wait_now) await fm_yield();
    v.a[6]++;
    return v;
}
static async int fails(int x)
{
    if (wait_now) await fm_yield();
    fm_throw(42, "no %d", x);
}
static async void nothing(void) { await plus(1); }

static void waits(void)
{
    struct large v = {{1, 0, 0, 0, 0, 0, 2}}, w = v;
    int out = 5;
    fm_fault *f;
    FM_TASK(struct large) t;

    fm_wait(nothing());
    v = fm_wait(larger(v));
    printf("%d %ld %ld\n", fm_wait(plus(2)), v.a[0], v.a[6]);
    f = fm_attempt_wait(&out, fails(3));
    printf("%d %s\n", out, fm_fault_message(f));
    f = fm_attempt_wait(&w, larger(v));
    printf("%ld %ld %d\n", w.a[0], w.a[6], f != NULL);
    t = fm_begin(&w, larger(w));
    if (t) {
        w = fm_wait_task_for(t, FM_S(5));
        fm_release(t);
    }
    printf("%ld %ld\n", w.a[0], w.a[6]);
    printf("%d\n", fm_wait(fm_join(fm_start(plus(7)))));
}

int main(void)
{
    waits();
    wait_now = 1;
    waits();
    return 0;
}

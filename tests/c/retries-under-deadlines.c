// Retries with growing pauses, a deadline around them, and who cleans up what.
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
#include <string.h>
struct conn { int id; char name[20]; double load; };
static int opened, closed;
static void shut(struct conn *c) { if (c->id) closed++; }
async struct conn open_conn(int attempt)
{
    await fm_sleep(FM_US(200));
    if (attempt < 3)
        fm_throw(ECONNREFUSED, "attempt %d refused", attempt);
    opened++;
    return (struct conn){attempt, "db", attempt * .5};
}
async struct conn with_retry(int max)
{
    fm_fault *f;
    int64_t pause = FM_US(100);
    for (int i = 1;; i++) {
        fm_try {
            return await open_conn(i);
        } fm_catch (f) {
            printf("try %d: %s\n", i, fm_fault_message(f));
            if (i >= max)
                fm_rethrow(f);
        }
        await fm_sleep(pause);
        pause *= 2;
    }
}
async double query(int max, const char *what)
{
    __attribute__((cleanup(shut))) struct conn c = {0};
    c = await with_retry(max);
    FM_DEFER { printf("query %s of %s done\n", what, c.name); }
    if (strcmp(what, "slow") == 0)
        await fm_sleep(FM_S(100));
    return c.load + (double)strlen(what);
}
async int main(void)
{
    double d = 0;
    fm_fault *f;
    printf("%.1f\n", await query(5, "fast"));
    f = await fm_attempt(&d, query(2, "never"));
    printf("%d %s %.1f\n", fm_fault_code(f) == ECONNREFUSED, fm_fault_message(f), d);
    { fm_with_timeout(FM_MS(400)); f = await fm_attempt(&d, query(5, "slow")); }
    printf("%d\n", f && fm_fault_code(f) == ETIMEDOUT);
    fm_try { fm_with_timeout(FM_MS(400)); d = await query(9, "slow"); }
    fm_catch (f) printf("timeout %d\n", fm_fault_code(f) == ETIMEDOUT);
    printf("%d opened %d closed\n", opened, closed);
    return 0;
}

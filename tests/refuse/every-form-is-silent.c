// No form of the header draws a warning of clang's or ours.
// flags: -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -std=c17
#include <errno.h>
#include <fermata.h>
#include <fermata/io.h>
#include <stdio.h>
static fm_local key = {"key"};
async int one(int x);
async void nothing(void);
async int *place(void);
struct pair {
    int a, b;
};
async struct pair two(void);
static void hook(fm_task *t, fm_fault *f)
{
    (void)t;
    (void)f;
}
async int scopes(fm_token *tok, void *value)
{
    fm_with_token(tok);
    fm_with_timeout(FM_S(1));
    {
        fm_with_shield();
        fm_with_local(&key, value);
        FM_DEFER await nothing();
        return await one(fm_local_get(&key) == value);
    }
}
async int faults(int n)
{
    fm_fault *f;
    struct pair p = {0, 0};

    for (;;) {
        fm_try {
            if (n == 1)
                continue;
            if (n == 2)
                break;
            n += await one(n);
        } fm_catch (f) {
            if (fm_fault_code(f) == EPIPE)
                fm_rethrow(f);
            fm_throw(FM_CODE_USER + 1, "code %d", fm_fault_code(f));
        }
    }
    f = await fm_attempt(&p, two());
    f = f ? f : await fm_attempt(NULL, nothing());
    return f ? -1 : p.a;
}
async int tasks(fm_executor *ex)
{
    FM_AUTO FM_TASK(int) t = fm_start(one(1));
    FM_TASK(void) u = fm_start_on(ex, nothing());
    FM_TASK(struct pair) p = fm_completed(struct pair, {1, 2});
    FM_TASK(void) v = fm_completed_void();
    FM_VALUE(int) value = fm_value(one(3));
    FM_SOURCE(struct pair) s = fm_source_new(struct pair);
    FM_TASK(int) list[2] = {fm_retain(t), fm_start(one(2))};
    FM_TASK(struct pair) begun;
    struct pair out, made = {1, 2};

    fm_detach(nothing());
    begun = fm_begin(&out, two());
    if (begun)
        out = await fm_join(begun);
    fm_source_set(s, made);
    fm_source_release(s);
    fm_task_name(t, "t");
    fm_cancel(u);
    if (fm_status(t) == FM_RUNNING)
        await fm_all(list, 2);
    await fm_all_of(t, u, v);
    out.a += (int)await fm_any(list, 2) + (int)await fm_any_of(t, p);
    fm_release(list[0]);
    fm_release(list[1]);
    await fm_join(v);
    return await fm_get(t) + await fm_take(&value) + out.a +
           (await fm_join(p)).b + await fm_anywhere(one(1)) +
           *await fm_within(FM_MS(1), place());
}
int ordinary(void)
{
    int n = fm_wait(one(1));
    FM_TASK(int) t = fm_start(one(2));
    fm_fault *f = fm_attempt_wait(&n, one(3));

    fm_on_unobserved(hook);
    return fm_wait_task(t) + fm_wait_task_for(t, FM_S(1)) + (f != NULL);
}

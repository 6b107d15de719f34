/* fanout.c: asks many at once on the pool; the first failure cancels the
 * others, and arrives once, with its place. */
#include <fermata.h>
#include <fermata/io.h>
#include <fermata/sync.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int answered, given_up;

async int ask(int who)
{
    bool done = false;

    FM_DEFER atomic_fetch_add(done ? &answered : &given_up, 1);
    await fm_sleep(FM_MS(who * 5));
    if (who == 4)
        fm_throw(FM_CODE_USER + who, "number %d is out of order", who);
    done = true;
    return who * who;
}

/* Each by itself: who failed is known, the others' answers count. */
async int sum_of_those_that_answer(int n)
{
    FM_TASK(int) t[16];
    int sum = 0, one;

    for (int i = 0; i < n; i++)
        t[i] = fm_start_on(fm_pool(), ask(i));
    for (int i = 0; i < n; i++) {
        fm_fault *f = await fm_attempt(&one, fm_join(t[i]));
        sum += f ? 0 : one;
    }
    return sum;
}

/* All or nothing. */
async void all_of(int n)
{
    FM_GROUP(g);
    for (int i = 0; i < n; i++)
        fm_group_start(&g, ask(i));
    await fm_group_close(&g);
}

async int main(void)
{
    fm_fault *f;

    printf("those that answer: %d\n", await sum_of_those_that_answer(8));
    answered = given_up = 0;
    fm_try {
        await all_of(8);
    } fm_catch (f) {
        printf("%s (in %s); %d answered, %d did not\n", fm_fault_message(f),
               fm_fault_place(f).function, answered, given_up);
    }
    return 0;
}

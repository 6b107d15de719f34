// Awaits under fm_anywhere post nothing to the executor that they left, which
// may run no jobs at all, until the function that said so ends.
// id: X07, X11, X18, A03, A04
// not: alloc
#include <fermata.h>
#include <stdio.h>
#include <stdlib.h>

static struct queue {
    fm_job *first;
    int posts;
} q;

static void
post(void *arg, fm_job *job)
{
    struct queue *to = arg;
    to->first = job; /* one at a time here */
    to->posts++;
}
static void
tick(void)
{
    fm_job *job = q.first;
    q.first = NULL;
    if (job)
        fm_job_run(job);
}
static const fm_executor_vtable table = {.post = post};

static FM_SOURCE(int) now;
static int right, posts_inside;

static async int
loops(void)
{
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++) {
            FM_SOURCE(int) s = fm_source_new(int);
            FM_TASK(int) t = fm_source_task(s);
            int posts = q.posts;
            now = s;
            right += await fm_anywhere(fm_get(t)) == 5 * i + k;
            posts_inside += q.posts - posts;
            fm_release(t);
            fm_source_release(s);
        }
    return 7;
}
/* On a callee that has nothing to wait for it changes nothing. */
static async int
at_once(fm_executor *mine)
{
    FM_SOURCE(int) s = fm_source_new(int);
    FM_TASK(int) t = fm_source_task(s);
    fm_source_set(s, 3);
    int n = await fm_anywhere(fm_get(t));
    n += fm_executor_self() == mine;
    fm_release(t);
    fm_source_release(s);
    return n;
}

static async void
completes(void)
{
    for (int i = 0; i < 25; i++) {
        fm_source_set(now, i);
        await fm_yield();
    }
}

int
main(void)
{
    fm_executor *mine = fm_executor_new(&table, &q);
    FM_TASK(int) t = fm_start_on(mine, loops());
    tick(); /* to the first await; from here on it runs nothing */
    fm_wait(completes());
    printf("%d right, %d posts inside\n", right, posts_inside);
    tick(); /* back to where it was started */
    printf("%d posts in all, result %d\n", q.posts, fm_wait_task(t));
    fm_release(t);
    t = fm_start_on(mine, at_once(mine));
    tick();
    printf("%d\n", fm_wait_task(t));
    fm_release(t);
    fm_executor_free(mine);
    return 0;
}

/* census.c: every task, what it awaits and where, while others go on.
 *
 * The tasks are found by walking the slabs, with a reference to each. A chain
 * can be read only while nobody can resume it: so a suspended task is *held*.
 * Its wait goes back to being armed (SYNC_ARMING): who would end it meanwhile
 * only notes that, and it is seen to when the task is let go, as a root does
 * after its arming. Nobody is polled, nobody waits. */
#include <string.h>

#include "runtime/entry.h"
#include "runtime/pool.h"
#include "runtime/slab.h"

#include <fermata/trace.h>

enum { FRAMES_MOST = 64, FEW = 64 };

/* ---- holding a task --------------------------------------------------- */

static bool
task_hold(struct task *t)
{
    const unsigned ends = SYNC_ARMED | SYNC_CLAIMED | SYNC_DONE | SYNC_ARMING;
    uint8_t s = fm__load_acquire(&t->sync);

    do {
        if ((s & ends) != SYNC_ARMED)
            return false;
    } while (!fm__cas8(&t->sync, &s, (s & ~SYNC_ARMED) | SYNC_ARMING));
    return true;
}

static void
task_let_go(struct task *t)
{
    fm__arm_over(t, true, false);
}

/* One of this thread's roots runs it. */
static bool
task_runs_here(const struct task *t)
{
    for (struct root *r = fm__thread.root; r; r = r->outer)
        if (r->task == t)
            return true;
    return false;
}

/* ---- one task --------------------------------------------------------- */

static void
print_place(void *arg, const struct fm_place *place)
{
    FILE *out = arg;

    if (place->file)
        fprintf(out, "  at %s (%s:%u)\n", place->function, place->file,
                place->line);
    else
        fprintf(out, "  at %s\n", place->function);
}

static void
print_chain(FILE *out, const struct fm_record *r)
{
    for (unsigned n = 0; r && r->point; r = r->next) {
        if (++n > FRAMES_MOST) {
            fprintf(out, "  ...\n");
            return;
        }
        if (r->point != &fm__begin_point)
            fm__point_each(r->point, POINT_WHOLE, print_place, out);
        if (r->point->flags & FM_POINT_TASK)
            return;
    }
}

static void
print_name(FILE *out, struct task *t)
{
    char name[64];

    fprintf(out, "task %p", (void *)task_handle(t));
    fm__task_name(t, name, sizeof name);
    if (*name)
        fprintf(out, " \"%s\"", name);
}

/* Of one that nobody resumes meanwhile. */
static void
print_wait(FILE *out, struct task *t)
{
    struct task *awaited = fm__task_awaited(t);
    fm_executor *ex = task_executor(t);

    if (ex->yield)
        fprintf(out, " on the pool");
    else
        fprintf(out, " on executor %u", ex->id);
    if (awaited)
        fprintf(out, " waits for task %p\n", (void *)task_handle(awaited));
    else
        fprintf(out, " waits\n");
    print_chain(out, task_head(t));
}

static void
print_task(FILE *out, struct task *t)
{
    bool held = false;

    print_name(out, t);
    if (fm__load(&t->refs) & REFS_SOURCE)
        fprintf(out, " is a source that nobody has completed\n");
    else if (task_runs_here(t))
        fprintf(out, " runs here\n");
    else if ((held = task_hold(t)) || fm__alone())
        print_wait(out, t);
    else
        fprintf(out, " runs, is about to, or waits for what cannot be "
                     "given up\n");
    if (held)
        task_let_go(t);
}

void
fm__say_running(struct task *t)
{
    char name[64];

    if (task_hold(t)) {
        fm__say_task(t);
        task_let_go(t);
        return;
    }
    /* One that waits without an end to it: on this loop it waits for us. */
    if (!task_executor(t)->yield && task_executor(t) == fm__thread.executor) {
        fm__say_task(t);
        return;
    }
    fm__task_name(t, name, sizeof name);
    fm__sys_say("  task \"%s\" runs, or waits for what cannot be given up",
                name);
}

/* ---- all of them ------------------------------------------------------ */

struct found {
    struct task **tasks, *few[FEW];
    size_t count, room;
};

/* Room is made before the walk, which must not allocate. */
static void
found_count(struct task *t, void *arg)
{
    struct found *all = arg;

    all->room++;
    fm__sub(&t->refs, 1); /* its block stays: the walk holds the lock */
}

static void
found_add(struct task *t, void *arg)
{
    struct found *all = arg;

    if (all->count < all->room && task_state(t) == FM_RUNNING)
        all->tasks[all->count++] = t;
    else
        fm__sub(&t->refs, 1);
}

static void
find_all(struct found *all)
{
    *all = (struct found){.count = 0};
    fm__task_each(found_count, all);
    all->tasks = fm__sys_alloc(all->room * sizeof(struct task *));
    if (!all->tasks) {
        all->tasks = all->few;
        all->room = FEW;
    }
    fm__task_each(found_add, all);
}

FM_EXPORT void
fm_dump(FILE *out)
{
    struct found all;

    find_all(&all);
    fprintf(out, "fermata: %zu task%s\n", all.count, all.count == 1 ? "" : "s");
    for (size_t i = 0; i < all.count; i++) {
        if (task_state(all.tasks[i]) == FM_RUNNING)
            print_task(out, all.tasks[i]);
        fm__task_release(all.tasks[i]);
    }
    if (all.tasks != all.few)
        fm__sys_free(all.tasks);
    fflush(out);
}

/* ---- counts ----------------------------------------------------------- */

static void
count_task(struct task *t, void *arg)
{
    struct fm_stats *s = arg;

    if (task_state(t) != FM_RUNNING) {
        s->held++;
    } else {
        s->tasks++;
        s->suspended += (fm__load(&t->sync) & SYNC_ARMED) != 0;
    }
    fm__sub(&t->refs, 1);
}

FM_EXPORT void
fm_stats(struct fm_stats *s)
{
    memset(s, 0, sizeof *s);
    fm__task_each(count_task, s);
    s->bytes = fm__slabs_bytes();
    fm__pool_stats(s);
    fm_abi_lanes(s->calls_queued, s->calls_running);
}

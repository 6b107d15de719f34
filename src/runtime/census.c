/* census.c: every task, what it awaits and where, while others go on.
 *
 * The tasks are found by walking the slabs, with a reference to each. A chain
 * can be read only while nobody can resume it. Those of this thread's own
 * executor are resumed by nobody meanwhile. Of others, a suspended task is
 * *held*: its wait goes back to being armed (SYNC_ARMING): who would end it
 * meanwhile only notes that, and it is seen to when the task is let go, as a
 * root does after its arming. Nobody is polled, nobody waits: what is read is
 * the addresses of points, which are printed later. */
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

/* One of this thread's roots runs it. */
static bool
task_runs_here(const struct task *t)
{
    for (struct root *r = fm__thread.root; r; r = r->outer)
        if (r->task == t)
            return true;
    return false;
}

/* ---- what is read of a task ------------------------------------------- */

struct view {
    struct task *awaited; /* not to be followed */
    fm_executor *executor;
    unsigned count;
    bool more; /* frames than these */
    const struct fm_point *points[FRAMES_MOST];
};

/* Of a chain that nobody resumes meanwhile. */
static void
chain_read(struct task *t, struct view *v)
{
    struct fm_record *r = task_head(t);

    v->awaited = fm__task_awaited(t);
    v->executor = task_executor(t);
    v->count = 0;
    v->more = false;
    for (; r && r->point; r = r->next) {
        if (v->count == FRAMES_MOST) {
            v->more = true;
            return;
        }
        v->points[v->count++] = r->point;
        if (r->point->flags & FM_POINT_TASK)
            return;
    }
}

/* It belongs to this thread's executor, which has one thread. The lock: with
 * fm_anywhere it may go elsewhere, and says so first (comes_here). */
static bool
read_own(struct task *t, struct view *v)
{
    fm_executor *here = fm__thread.executor;
    bool own;

    if (!here || here->yield)
        return false;
    lock_take(&fm__locks[LOCK_ANYWHERE]);
    /* acquire: pairs with the release of who switches it to here */
    own = fm__load_acquire(&t->executor) == here->id;
    if (own)
        chain_read(t, v);
    lock_give(&fm__locks[LOCK_ANYWHERE]);
    return own;
}

static bool
read_held(struct task *t, struct view *v)
{
    if (!task_hold(t))
        return false;
    chain_read(t, v);
    fm__arm_over(t, false);
    return true;
}

/* False: it runs, or is queued elsewhere. */
static bool
task_read(struct task *t, struct view *v)
{
    if (read_own(t, v) || read_held(t, v))
        return true;
    if (!fm__alone())
        return false;
    chain_read(t, v);
    return true;
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
print_stack(FILE *out, const struct view *v)
{
    for (unsigned n = 0; n < v->count; n++)
        if (v->points[n] != &fm__begin_point)
            fm__point_each(v->points[n], POINT_WHOLE, print_place, out);
    if (v->more)
        fprintf(out, "  ...\n");
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

static void
print_wait(FILE *out, const struct view *v)
{
    if (v->executor->yield)
        fprintf(out, " on the pool");
    else
        fprintf(out, " on executor %u", v->executor->id);
    if (v->awaited)
        fprintf(out, " waits for task %p\n", (void *)task_handle(v->awaited));
    else
        fprintf(out, " waits\n");
    print_stack(out, v);
}

static void
print_task(FILE *out, struct task *t)
{
    struct view v;

    print_name(out, t);
    if (fm__load(&t->refs) & REFS_SOURCE)
        fprintf(out, " is a source that nobody has completed\n");
    else if (task_runs_here(t))
        fprintf(out, " runs here\n");
    else if (task_read(t, &v))
        print_wait(out, &v);
    else
        fprintf(out, " runs, or is about to\n");
}

void
fm__say_running(struct task *t)
{
    char name[64];

    if (task_hold(t)) {
        fm__say_task(t);
        fm__arm_over(t, false);
        return;
    }
    /* One that waits without an end to it: on this loop it waits for us. */
    if (!task_executor(t)->yield && task_executor(t) == fm__thread.executor) {
        fm__say_task(t);
        return;
    }
    fm__task_name(t, name, sizeof name);
    if (*name)
        fm__sys_say("  task \"%s\" runs, or is queued", name);
    else
        fm__sys_say("  it runs, or is queued");
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

/* stage_async.c: the stage of programs spelled in async C: main, its points.
 *
 *     STAGE=still     nothing suspends but the hops between executors
 *     STAGE=yield     every point yields
 *     STAGE=mix:N     each point chooses by seed N
 *     STAGE=one:N     the same; all executors on one thread, their queues
 *                     shuffled
 *     STAGE=many:N    the same; every run at once, on loops of their own
 *     STAGE=fail:N    the same; allocations fail (FERMATA_FAIL_ALLOC)
 *
 * PLAY=K: only the K-th program, and only its first runs.
 */
#include "stage_inner.h"
#include "stage_both.h"
#include <fermata/trace.h>
#include <pthread.h>
#include <unistd.h>

struct how how = {.points = WAYS};
fm_executor *seats[SEATS], *pool, *helper;
fm_local keys[2] = {{"key 0"}, {"key 1"}};
_Thread_local struct seat seat = {.id = POOL};
int64_t ages = FM_S(1000);
static _Atomic bool starved; /* a fault ENOMEM was seen in this run */

bool
seat_is_mine(const unsigned *p, unsigned k)
{
    return p == &seat.scratch[k];
}

/* ---- activations ----------------------------------------------------------- */

static struct cx *
cx_new(struct run *run)
{
    struct cx *cx = calloc(1, sizeof *cx);

    if (!cx)
        abort();
    cx_init(cx, run);
    cx->refs = 2; /* of who starts it, and its own */
    if (how.starving) {
        cx->next = run->made;
        while (!atomic_compare_exchange_weak(&run->made, &cx->next, cx))
            continue;
    } else {
        run->live++;
    }
    return cx;
}

struct cx *
child_new(struct cx *cx, unsigned at, unsigned where)
{
    struct cx *child = cx_new(cx->run);

    (void)where;
    child_init(cx, child, at);
    child->random = next_random(&cx->random);
    return child;
}

struct cell {
    unsigned v;
    struct cell *next;
};

unsigned *
cell(struct cx *cx, unsigned v)
{
    struct cell *c = malloc(sizeof *c);

    if (!c)
        abort();
    *c = (struct cell){v, cx->cells};
    cx->cells = c;
    return &c->v;
}

static void
cx_free(struct cx *cx)
{
    for (struct cell *c = cx->cells, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    fm_abi_channel_release(cx->channel);
    free(cx);
}

/* While allocations fail a task may not come as far as its drop. */
void
drop(struct cx **cx)
{
    struct run *run = (*cx)->run;

    if (how.starving)
        return;
    if (--(*cx)->refs)
        return;
    cx_free(*cx);
    run->live--;
}

/* ---- words of the programs ------------------------------------------------------- */

void
note_here(struct cx *cx)
{
    fm_executor *here = fm_executor_self();
    unsigned at = 0;

    if (cx->loose)
        return;
    if (here == pool)
        at = POOL;
    else if (how.shuffled)
        while (seats[at] != here)
            at++;
    else
        at = seat.id;
    if (!how.shuffled && seat.id != at)
        at = ~0u; /* one thing of this thread says this, another that */
    note(cx, "here", at < SEATS ? (at + SEATS - cx->run->home) % SEATS : at);
}

void
look_starved(fm_fault *f)
{
    for (; f; f = fm_fault_cause(f))
        if (fm_fault_code(f) == ENOMEM)
            starved = true;
}

void
note_fault(struct cx *cx, fm_fault *f)
{
    note(cx, "fault", f ? (unsigned)fm_fault_code(f) : 0);
    for (fm_fault *c = f; c && (c = fm_fault_cause(c));)
        note(cx, "cause", (unsigned)fm_fault_code(c));
    look_starved(f);
}

unsigned
local_get(struct cx *cx, unsigned key)
{
    (void)cx;
    return (unsigned)(uintptr_t)fm_local_get(&keys[key]);
}

async void
end_later(struct guard *g)
{
    struct cx *cx = g->cx;

    cx->run->closed++;
    note(cx, "later", g->n);
    await point(cx);
    if (g->n % 8 == 5)
        fm_throw(CODE + (int)(g->n & 255), "later");
    note(cx, "ended", g->n ^ local_get(cx, 0));
}

void
end_loose(struct cx **cx)
{
    (*cx)->loose--;
}

void
end_source(fm_cancel_source **s)
{
    fm_cancel_source_release(*s);
}

async void
never(struct cx *cx)
{
    struct cx *own CLEANUP(drop) = cx;

    (void)own;
    await fm_sleep(FM_FOREVER);
}

void
end_never(FM_TASK(void) *t)
{
    fm_cancel(*t);
    fm_release(*t);
}

/* ---- executors ------------------------------------------------------------------- */

/* One that main drives: it may be any job's turn. Timers post from a thread
 * of the runtime's own. */
struct queue {
    fm_job *first;
    unsigned count;
};
enum { QUEUES = SEATS + 2 }; /* and the pool's, and the helper's */
static struct queue queues[QUEUES];
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;

static void
queue_post(void *arg, fm_job *job)
{
    struct queue *q = arg;

    pthread_mutex_lock(&queues_lock);
    job->next = q->first;
    q->first = job;
    q->count++;
    pthread_mutex_unlock(&queues_lock);
}

static fm_job *
queue_take(struct queue *q, unsigned which)
{
    fm_job **at = &q->first, *job = NULL;

    pthread_mutex_lock(&queues_lock);
    if (q->count) {
        for (which %= q->count; which; which--)
            at = &(*at)->next;
        job = *at;
        *at = job->next;
        q->count--;
    }
    pthread_mutex_unlock(&queues_lock);
    return job;
}

static async unsigned
take_seat(unsigned id)
{
    return seat.id = id;
}

static fm_executor *
executor_new(unsigned k)
{
    static const fm_executor_vtable table = {.post = queue_post};
    fm_executor *ex = how.shuffled          ? fm_executor_new(&table, &queues[k])
                      : k || how.at_once ? fm_loop_new()
                                         : fm_loop();

    if (!ex) {
        fputs("stage: no event loop\n", stderr);
        abort();
    }
    return ex;
}

static void
seats_open(void)
{
    for (unsigned k = 0; k <= SEATS; k++) {
        fm_executor *ex = executor_new(k);
        *(k < SEATS ? &seats[k] : &helper) = ex;
        if (how.shuffled)
            continue;
        FM_TASK(unsigned) t = fm_start_on(ex, take_seat(k));
        if (fm_wait_task(t) != k)
            abort();
        fm_release(t);
    }
    pool = how.shuffled ? executor_new(SEATS + 1) : fm_pool();
}

static void
seats_close(void)
{
    for (unsigned k = 0; k <= SEATS; k++)
        if (k || how.shuffled || how.at_once)
            fm_executor_free(k < SEATS ? seats[k] : helper);
    if (how.shuffled)
        fm_executor_free(pool);
}

/* ---- running ----------------------------------------------------------------------- */

static async void
run_play(struct cx *cx)
{
    struct run *run = cx->run;
    struct cx *own CLEANUP(drop) = cx;
    fm_fault *f;

    cx->random = run->random;
    fm_try {
        await run->play->program(cx);
        f = NULL;
        note_fault(cx, f);
    }
    fm_catch (f) {
        note_fault(cx, f);
    }
    note_here(cx);
    run->hash = cx->hash;
    run->points = cx->points;
    (void)own;
}

static void
run_begin(struct run *run, unsigned i)
{
    struct cx *cx;

    run->home = how.at_once ? i % SEATS : 0;
    run->random = how.seed * 7919u + i;
    cx = cx_new(run);
    FM_TASK(void) t = fm_start_on(seats[run->home], run_play(cx));
    fm_release(t);
    drop(&cx);
}

static async void
moment(void)
{
    await fm_sleep(FM_US(20));
}

/* One job of those queues. Others may need the processor. */
static void
turn_one(void)
{
    unsigned r = next_random(&how.seed);
    fm_job *job = queue_take(&queues[r % QUEUES], r / QUEUES);

    if (job)
        fm_job_run(job);
    else if (r % 8 == 0)
        usleep(20);
}

/* Until no task is left, whatever became of them. */
static void
run_end_starving(struct run *run)
{
    struct fm_stats stats;

    for (;;) {
        fm_run_until_idle();
        fm_stats(&stats);
        if (!stats.tasks)
            break;
        usleep(20);
    }
    for (struct cx *cx = run->made, *next; cx; cx = next) {
        next = cx->next;
        cx_free(cx);
    }
}

/* Until all of its activations have ended. */
static void
run_end(struct run *run)
{
    if (how.starving)
        run_end_starving(run);
    while (run->live)
        if (how.shuffled)
            turn_one();
        else
            fm_wait(moment());
}

static void
run_all(struct run *runs, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        run_begin(&runs[i], i);
        if (!how.at_once)
            run_end(&runs[i]);
        if (how.starving && atomic_exchange(&starved, false))
            printf("%s/%u starved\n", runs[i].play->name,
                   runs[i].cancel_at);
    }
    for (unsigned i = 0; i < n; i++) {
        if (how.at_once)
            run_end(&runs[i]);
        report(&runs[i]);
    }
}

static void
choose(const char *stage)
{
    const char *colon = strchr(stage, ':');

    if (!strcmp(stage, "still"))
        how.points = STILL;
    else if (!strcmp(stage, "yield"))
        how.points = YIELD;
    else
        how.seed = colon ? (unsigned)atoi(colon + 1) : 1;
    how.shuffled = !strncmp(stage, "one", 3);
    how.at_once = !strncmp(stage, "many", 4);
    how.starving = !strncmp(stage, "fail", 4);
    if (how.starving) /* some may wait for one that could not begin */
        ages = FM_S(10);
}

static void
ignore(fm_task *t, fm_fault *f)
{
    (void)t;
    look_starved(f);
}

static void
play_all(const struct play *play)
{
    static struct run runs[CANCELS + 1];
    unsigned n = 1;

    runs[0] = (struct run){.play = play};
    run_all(runs, 1);
    for (; n <= cancels(&runs[0]) && (!how.starving || n < 4); n++)
        runs[n] = (struct run){.play = play,
                               .cancel_at = cancel_at(&runs[0], n - 1)};
    run_all(runs + 1, n - 1);
}

int
main(void)
{
    const char *stage = getenv("STAGE"), *play = getenv("PLAY");

    trace = getenv("TRACE") != NULL;
    choose(stage ? stage : "still");
    fm_on_unobserved(ignore);
    foreign_open();
    seats_open();
    for (unsigned i = 0; i < plays_count; i++)
        if (!play || i == (unsigned)atoi(play))
            play_all(&plays[i]);
    foreign_close();
    seats_close();
    return 0;
}

/* stage_async.c: the stage of programs spelled in async C: main, its points.
 *
 *     STAGE=still     nothing suspends but the hops between executors
 *     STAGE=yield     every point yields
 *     STAGE=mix:N     each point chooses by seed N
 *     STAGE=one:N     the same; all executors on one thread, their queues
 *                     shuffled
 *     STAGE=many:N    the same; every run at once, on loops of their own
 */
#include "stage.h"
#include "stage_both.h"
#include <pthread.h>
#include <unistd.h>

/* How a point suspends. From LATER on somebody else ends the wait, and may
 * cancel it before. */
enum way { STILL, YIELD, TWICE, AT_ONCE, READY, SLEEP, LATER, AFAR, SOURCE,
           SOURCE_AFAR, WAYS };
static enum way all_points = WAYS; /* WAYS: by seed */
static bool shuffled, at_once;
static unsigned seed;
fm_executor *seats[SEATS];
fm_local keys[2] = {{"key 0"}, {"key 1"}};
_Thread_local struct seat seat;
static fm_executor *helper;

bool
seat_is_mine(const unsigned *p, unsigned k)
{
    return p == &seat.scratch[k];
}

static unsigned
next_random(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
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
    run->live++;
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

void
drop(struct cx **cx)
{
    struct run *run = (*cx)->run;

    if (--(*cx)->refs)
        return;
    free(*cx);
    run->live--;
}

/* ---- points -------------------------------------------------------------------- */

struct wake {
    struct cx *cx;
    fm_waiter *waiter;
    FM_SOURCE(unsigned) source;
    fm_task *cancel;        /* is cancelled before it is woken */
    fm_cancel_source *fire; /* fires before it is woken */
};

static async void
wake_run(struct wake wake)
{
    await fm_yield();
    if (wake.cancel)
        fm_abi_cancel(wake.cancel);
    else if (wake.fire)
        fm_cancel_source_fire(wake.fire);
    else
        change_held(wake.cx);
    if (wake.source) {
        fm_source_set(wake.source, 7u);
        fm_source_release(wake.source);
    } else {
        fm_resume(wake.waiter);
    }
}

/* It outlives whom it wakes: nothing of what that ran under is its own. */
static void
wake_start(struct wake *wake, bool afar)
{
    fm_with_shield();
    FM_TASK(void) t = afar ? fm_start_on(helper, wake_run(*wake))
                           : fm_start(wake_run(*wake));
    fm_release(t);
}

static void
arm_at_once(fm_waiter *waiter, void *arg)
{
    struct wake *wake = arg;

    change_held(wake->cx);
    fm_resume(waiter);
}

static void
arm_later(fm_waiter *waiter, void *arg)
{
    struct wake *wake = arg;

    wake->waiter = waiter;
    wake_start(wake, false);
}

static void
arm_afar(fm_waiter *waiter, void *arg)
{
    struct wake *wake = arg;

    wake->waiter = waiter;
    wake_start(wake, true);
}

/* fm_resume is always called. */
static bool
disarm(fm_waiter *waiter, void *arg)
{
    (void)waiter, (void)arg;
    return false;
}

static async void
by_source(struct wake *wake, enum way way)
{
    FM_SOURCE(unsigned) s = fm_source_new(unsigned);
    FM_TASK(unsigned) t = fm_source_task(s);

    if (way == READY) {
        fm_source_set(s, 7u);
        fm_source_release(s);
        change_held(wake->cx);
    } else {
        wake->source = s;
        wake_start(wake, way == SOURCE_AFAR);
    }
    if (await fm_join(t) != 7)
        abort();
}

static async void
wait_by(enum way way, struct wake *wake)
{
    switch (way) {
    case STILL:
        change_held(wake->cx);
        break;
    case YIELD:
    case TWICE:
        await fm_yield();
        change_held(wake->cx);
        if (way == TWICE)
            await fm_yield();
        break;
    case SLEEP:
        await fm_sleep(FM_US(20));
        change_held(wake->cx);
        break;
    case AT_ONCE:
        await fm_suspend_until(arm_at_once, disarm, wake);
        break;
    case LATER:
        await fm_suspend_until(arm_later, disarm, wake);
        break;
    case AFAR:
        await fm_suspend_until(arm_afar, disarm, wake);
        break;
    default:
        await by_source(wake, way);
        break;
    }
}

static enum way
way_of(struct cx *cx)
{
    unsigned way;

    if (all_points != WAYS)
        return all_points;
    way = next_random(&cx->random) % 16;
    return way == SLEEP && next_random(&cx->random) % 8 ? YIELD
           : way < WAYS                                 ? (enum way)way
                                                        : way % 3;
}

async void
point(struct cx *cx)
{
    struct wake wake = {.cx = cx};
    enum way way = way_of(cx);

    await fm_raise_cancelled();
    if (++cx->points == cx->cancel_at) {
        wake.cancel = fm_self();
        if (way < LATER) {
            fm_abi_cancel(wake.cancel);
            await fm_raise_cancelled();
            wake.cancel = NULL;
        }
    }
    await wait_by(way, &wake);
    if (!wake.cancel)
        return;
    await fm_raise_cancelled();
    change_held(cx);
}

async void
fire(struct cx *cx, fm_cancel_source *source)
{
    struct wake wake = {.cx = cx};
    enum way way = way_of(cx);

    await fm_raise_cancelled();
    if (way < LATER) {
        fm_cancel_source_fire(source);
        await fm_raise_cancelled();
        await wait_by(way, &wake);
        return;
    }
    wake.fire = source;
    await wait_by(way, &wake);
    await fm_raise_cancelled();
    change_held(cx);
}

async unsigned
num(struct cx *cx, unsigned v)
{
    await point(cx);
    return v;
}

async void
errno_kept(struct cx *cx, unsigned code)
{
    errno = (int)code;
    await point(cx);
    note(cx, "errno", (unsigned)errno);
}

/* ---- words of the programs ------------------------------------------------------- */

void
note_here(struct cx *cx)
{
    unsigned at = 0;

    if (cx->loose)
        return;
    if (shuffled)
        while (seats[at] != fm_executor_self())
            at++;
    else
        at = seat.id;
    note(cx, "here", (at + SEATS - cx->run->home) % SEATS);
}

void
note_fault(struct cx *cx, fm_fault *f)
{
    note(cx, "fault", f ? (unsigned)fm_fault_code(f) : 0);
    for (; f && (f = fm_fault_cause(f));)
        note(cx, "cause", (unsigned)fm_fault_code(f));
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

    note(cx, "later", g->n);
    await point(cx);
    cx->run->closed++;
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
static struct queue queues[SEATS + 1];
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

static void
seats_open(void)
{
    static const fm_executor_vtable table = {.post = queue_post};

    for (unsigned k = 0; k <= SEATS; k++) {
        fm_executor *ex = shuffled ? fm_executor_new(&table, &queues[k])
                          : k || at_once ? fm_loop_new()
                                         : fm_loop();
        if (!ex)
            abort();
        *(k < SEATS ? &seats[k] : &helper) = ex;
        if (shuffled)
            continue;
        FM_TASK(unsigned) t = fm_start_on(ex, take_seat(k));
        if (fm_wait_task(t) != k)
            abort();
        fm_release(t);
    }
}

static void
seats_close(void)
{
    for (unsigned k = 0; k <= SEATS; k++)
        if (k || shuffled || at_once)
            fm_executor_free(k < SEATS ? seats[k] : helper);
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

    run->home = at_once ? i % SEATS : 0;
    run->random = seed * 7919u + i;
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

/* Until all of its activations have ended. Others may need the processor. */
static void
run_end(struct run *run)
{
    while (run->live) {
        if (!shuffled) {
            fm_wait(moment());
            continue;
        }
        unsigned r = next_random(&seed);
        fm_job *job = queue_take(&queues[r % (SEATS + 1)], r / (SEATS + 1));
        if (job)
            fm_job_run(job);
        else if (r % 8 == 0)
            usleep(20);
    }
}

static void
run_all(struct run *runs, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        run_begin(&runs[i], i);
        if (!at_once)
            run_end(&runs[i]);
    }
    for (unsigned i = 0; i < n; i++) {
        run_end(&runs[i]);
        report(&runs[i]);
    }
}

static void
choose(const char *how)
{
    const char *colon = strchr(how, ':');

    if (!strcmp(how, "still"))
        all_points = STILL;
    else if (!strcmp(how, "yield"))
        all_points = YIELD;
    else
        seed = colon ? (unsigned)atoi(colon + 1) : 1;
    shuffled = !strncmp(how, "one", 3);
    at_once = !strncmp(how, "many", 4);
}

static void
ignore(fm_task *t, fm_fault *f)
{
    (void)t, (void)f;
}

int
main(void)
{
    static struct run runs[CANCELS + 1];
    const char *how = getenv("STAGE");

    trace = getenv("TRACE") != NULL;
    choose(how ? how : "still");
    fm_on_unobserved(ignore);
    seats_open();
    for (unsigned i = 0; i < plays_count; i++) {
        unsigned n = 1;
        runs[0] = (struct run){.play = &plays[i]};
        run_all(runs, 1);
        for (; n <= cancels(&runs[0]); n++)
            runs[n] = (struct run){.play = &plays[i],
                                   .cancel_at = cancel_at(&runs[0], n - 1)};
        run_all(runs + 1, n - 1);
    }
    seats_close();
    return 0;
}

/* workers.c: what must hold in every order of the pool's workers: a job that
 * was made visible is run, once, by somebody who is awake or is woken.
 *
 * The pool's own file is part of this one, with one round to a search in the
 * place of forty: a round finds nothing that the first did not, or it does and
 * is the first of a later search. Nobody watches: no worker may need that. */
#include "frames.h"

#include <runtime/pool.c>

#include <string.h>

/* ---- the pool's ground ---------------------------------------------------- */

struct fm_reactor {
    void *woken; /* itself, when it is */
    int looks;   /* in a row */
};
static struct fm_reactor reactors[2];
static struct worker crew[2];

/* Until it is woken, or until nobody will do anything more. A worker that sees
 * work, and that somebody is about to wake another for it, looks until that is
 * done: as long as it takes, but here not for ever. */
bool
fm_abi_reactor_sleep(fm_reactor *r, int64_t ns)
{
    if (!ns) {
        if (r->looks++ > 1 && fm__pool.searching && !fm__worker->searching)
            model_spin(&fm__pool.searching);
        return false;
    }
    r->looks = 0;
    if (!model_wait(&r->woken))
        atomic_store(&fm__pool.stop, 1);
    r->woken = NULL;
    return false;
}

void
fm_abi_reactor_wake(fm_reactor *r)
{
    model_step(&r->woken, true);
    r->woken = r;
}

void
fm_abi_reactor_serve(fm_reactor *r)
{
    (void)r;
}

void
fm_abi_reactor_serve_other(fm_reactor *r)
{
    (void)r;
}

void
fm__worker_begin(unsigned index)
{
    (void)index;
    HOLDS(!"all have begun");
}

void
fm__sys_pause(void)
{
}

/* ---- jobs ------------------------------------------------------------------ */

struct counted {
    fm_job job; /* first */
    _Atomic uint32_t ran;
};
static struct counted jobs[3];
static _Atomic uint32_t begun;
static void *both;

static void
count(fm_job *job)
{
    atomic_fetch_add(&((struct counted *)job)->ran, 1);
}

/* Keeps its worker until another such job runs, too. */
static void
meet(fm_job *job)
{
    count(job);
    if (atomic_fetch_add(&begun, 1) == 1) {
        model_step(&both, true);
        both = &both;
    }
    HOLDS(model_wait(&both));
}

/* ---- threads ---------------------------------------------------------------- */

static void
pool_of(unsigned size, void (*run)(fm_job *job))
{
    begin_setup(true);
    memset(crew, 0, sizeof crew);
    memset(reactors, 0, sizeof reactors);
    memset(jobs, 0, sizeof jobs);
    for (int i = 0; i < 3; i++)
        jobs[i].job.run = run;
    memset(&fm__pool, 0, sizeof fm__pool);
    atomic_store(&begun, 0);
    both = NULL;
    fm__pool.last = &fm__pool.first;
    fm__pool.size = size;
    fm__pool.begun = size;
    fm__pool.watching = 1;
    for (unsigned i = 0; i < size; i++) {
        crew[i].reactor = &reactors[i];
        crew[i].left = crew[i].interval = TICKS;
        fm__pool.workers[i] = &crew[i];
    }
}

static void
is_worker(unsigned i)
{
    ground_on(i);
    fm__worker = &crew[i];
    model_own = (void **)(void *)&fm__worker;
}

/* It has found nothing, and goes to sleep. */
static void
parks(void)
{
    is_worker(0);
    worker_park(&crew[0]);
    fm__worker_loop(&crew[0]);
}

/* It has gone to sleep long ago. */
static void
sleeps(unsigned i)
{
    struct worker *w = &crew[i], *stuck = NULL;

    is_worker(i);
    worker_sleep(w, &stuck);
    idle_leave(w);
    if (w->searching)
        worker_goes_on();
    fm__worker_loop(w);
}

static void
sleeps_first(void)
{
    sleeps(0);
}

static void
sleeps_second(void)
{
    sleeps(1);
}

static void
nobody(void)
{
    ground_on(2);
    fm__worker = NULL;
}

static void
posts(void)
{
    nobody();
    fm__pool_yield(&jobs[0].job);
}

static void
posts_two(void)
{
    nobody();
    fm__pool_yield(&jobs[0].job);
    fm__pool_yield(&jobs[1].job);
}

/* A worker that is busy: what it puts into its deque is for others. */
static void
puts(void)
{
    is_worker(1);
    fm__pool_yield(&jobs[0].job);
}

static void
puts_two(void)
{
    is_worker(1);
    fm__pool_yield(&jobs[0].job);
    fm__pool_yield(&jobs[1].job);
}

static void
puts_two_and_works(void)
{
    puts_two();
    fm__worker_loop(&crew[1]);
}

/* ---- setups and ends --------------------------------------------------------- */

static void
setup_one(void)
{
    pool_of(1, count);
    fm__pool.searching = crew[0].searching = 1;
}

static void
setup_other_busy(void)
{
    pool_of(2, count);
    fm__pool.searching = crew[0].searching = 1;
}

static void
setup_both_asleep(void)
{
    pool_of(2, meet);
    idle_enter(&crew[0]);
    idle_enter(&crew[1]);
    fm__worker = NULL;
    fm__pool_yield(&jobs[0].job);
    fm__pool_yield(&jobs[1].job); /* one has been woken already */
}

static void
setup_first_asleep(void)
{
    pool_of(2, meet);
    idle_enter(&crew[0]);
}

static void
ran(int n)
{
    for (int i = 0; i < 3; i++)
        HOLDS(jobs[i].ran == (i < n));
    HOLDS(fm__pool.searching == 0);
    HOLDS(fm__pool.count == 0 && !fm__pool.first);
}

static void
finish_one(void)
{
    ran(1);
}

static void
finish_two_jobs(void)
{
    ran(2);
}

/* ---- a deque ------------------------------------------------------------------ */

static void
run_taken(fm_job *job)
{
    if (job)
        job->run(job);
}

static void
puts_and_takes(void)
{
    is_worker(0);
    for (int i = 0; i < 2; i++)
        HOLDS(deque_put(&crew[0].deque, &jobs[i].job));
    run_taken(deque_take(&crew[0].deque));
    HOLDS(deque_put(&crew[0].deque, &jobs[2].job));
    run_taken(deque_take(&crew[0].deque));
}

static void
steals(void)
{
    nobody();
    run_taken(deque_take(&crew[0].deque));
}

static void
setup_deque(void)
{
    pool_of(1, count);
}

static void
finish_deque(void)
{
    run_taken(deque_take(&crew[0].deque));
    run_taken(deque_take(&crew[0].deque));
    run_taken(deque_take(&crew[0].deque));
    ran(3);
}

/* ---- a slot -------------------------------------------------------------------- */

static void
posts_to_slot(void)
{
    is_worker(0);
    fm__pool_post(NULL, &jobs[0].job);
    fm__pool_post(NULL, &jobs[1].job);
    run_taken(slot_take(&crew[0]));
    run_taken(deque_take(&crew[0].deque));
}

static void
takes_slot(void)
{
    nobody();
    run_taken(slot_take(&crew[0]));
}

static void
finish_slot(void)
{
    run_taken(slot_take(&crew[0]));
    run_taken(deque_take(&crew[0].deque));
    ran(2);
}

/* ---- the table ------------------------------------------------------------------ */

const struct scenario workers[] = {
    {"pool: a job comes while the only worker goes to sleep", setup_one,
     {parks, posts}, finish_one},
    {"pool: two jobs come meanwhile", setup_one,
     {parks, posts_two}, finish_two_jobs},
    {"pool: a busy worker's job is taken by one that goes to sleep",
     setup_other_busy, {parks, puts}, finish_one},
    {"pool: so are two", setup_other_busy,
     {parks, puts_two}, finish_two_jobs},
    {"pool: two jobs that keep their workers wake two", setup_both_asleep,
     {sleeps_first, sleeps_second}, finish_two_jobs},
    {"pool: a worker's second job is taken while its first keeps it",
     setup_first_asleep, {sleeps_first, puts_two_and_works}, finish_two_jobs},
    {"deque: each job is taken once", setup_deque,
     {puts_and_takes, steals, steals}, finish_deque},
    {"slot: each job is taken once", setup_deque,
     {posts_to_slot, takes_slot}, finish_slot},
};
const size_t worker_scenarios = sizeof workers / sizeof *workers;
